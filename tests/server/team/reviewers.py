"""Bots that review by known rules, and rule on complaints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from server.team.bots import Bot
from server.team.log import CORRECTED, ERROR_FREE, NOT_ANNOTATABLE
from server.team.sentences import Edits, Known

NOTHING = {"correct": True}


def reasons(known: Known, edits: Edits) -> list[str]:
    """Why a text is wrong; none where it is right."""
    if known.kind != CORRECTED:
        return ["overcorrection" if known.kind == ERROR_FREE else "erroneous"]
    reasons_ = []
    if known.polish in edits:
        reasons_.append("overcorrection")
    if any(known.misused(n) and known.misused(n)[0] in edits for n in range(len(known.errors))):
        reasons_.append("placeholder")
    elif len(edits - {known.polish}) < len(known.errors):
        reasons_.append("incomplete")
    if not reasons_ and edits != known.usual() and known.number % 2 == 0:
        reasons_.append("erroneous")  # a reviewer who is too strict: somebody will complain
    return reasons_


def upholds(known: Known) -> bool:
    """Whether the other reviewer takes a text that was refused too strictly."""
    return known.number % 4 == 0


class Reviewer(Bot):
    """Decides one sentence after the other until there is none."""

    def reviews(self) -> None:
        """Judge each text, mend or add what is missing, and decide."""
        while True:
            page = self.visitor.get(self.path("review"))
            data = page.data("review-data")
            if data is None:
                return
            known = self.book[data["source"]]
            if not self._passed_on(known, data):
                self._decide(known, data)

    def _passed_on(self, known: Known, data: Mapping[str, Any]) -> bool:
        """Now and then a sentence goes to the other reviewer, or back for one more opinion."""
        key = f"#{known.number}"
        if known.number % 40 == 21 and self.log.happened(key):
            body = {"version": str(data["version"]), "note": "You know this better."}
            self.visitor.post(data["urls"]["hand"], body)
            return True
        if known.number == 24 and self.log.happened(key):
            body = {"version": str(data["version"]), "note": "One more opinion.", "more": "1"}
            self.visitor.post(data["urls"]["more"], body)
            return True
        return False

    def _decide(self, known: Known, data: Mapping[str, Any]) -> None:
        rows, golden, boxes = {}, set(), set()
        for row in data["rows"]:
            rows[row["key"]], texts = self._judged(known, row, boxes)
            golden |= texts
        additions = []
        if known.kind == CORRECTED and known.usual() not in golden:
            additions.append(known.text(known.usual()))
            golden.add(known.usual())
            self.log.happened("added")
        payload: dict[str, object] = {
            "decision": known.kind,
            "rows": rows,
            "additions": additions,
            "reason": "incomprehensible" if known.kind == NOT_ANNOTATABLE else "",
            "active_ms": 9000,
        }
        body = {"version": data["version"], "client_key": str(uuid4()), "payload": payload}
        response = self.visitor.send(data["urls"]["finalise"], body, expect=(200, 422))
        if response.status == 422:
            self.log.happened("review confirmed")
            self.visitor.send(
                data["urls"]["finalise"], {**body, "payload": {**payload, "confirmed": True}}
            )
        assert known.number not in self.log.kinds, "a sentence was decided twice"
        self.log.kinds[known.number] = known.kind
        self.log.golden[known.number] = golden
        self.log.reviewed[known.number] = self.login

    def _judged(
        self, known: Known, row: Mapping[str, Any], boxes: set[str]
    ) -> tuple[dict[str, object], set[Edits]]:
        """A verdict, and the golden texts that come of it; no two boxes hold the same text."""
        if row["key"] in (ERROR_FREE, NOT_ANNOTATABLE):
            right = row["key"] == known.kind
            return (NOTHING if right else {"correct": False, "reasons": ["incomplete"]}), set()
        edits = known.readings[row["text"]]
        why = reasons(known, edits)
        if not why:
            return NOTHING, {edits}
        verdict: dict[str, object] = {"correct": False, "reasons": why}
        corrections, off = known.usual(), [0]
        if why == ["overcorrection"]:
            corrections, off = edits - {known.polish}, [_switch(known, row)] * bool(known.errors)
        elif known.number % 3:
            return verdict, set()
        text = known.text(corrections)
        if known.kind != CORRECTED or text in boxes:
            return verdict, set()
        boxes.add(text)
        verdict |= {"modified": text, "off": [edit for edit in off if edit]}
        self.log.happened("restored" if verdict["off"] else "modified")
        return verdict, {corrections}

    def rules(self) -> int:
        """Decide every complaint that this person may decide; how many."""
        links = self.visitor.get(self.path("problems")).all(
            rf'href="({self.path("problems")}/\d+)"'
        )
        return sum(self._rule(link) for link in links)

    def _rule(self, address: str) -> bool:
        page = self.visitor.get(address)
        fields = page.form(f"{address}/rule")
        if not fields:
            return False
        sentence = re.search(r'<p class="sentence" lang="\w+">(.*?)</p>', page.text)
        assert sentence
        known = self.book[sentence[1]]
        is_right = known.kind == CORRECTED and "Submitted decision" not in page.text
        if is_right and upholds(known):
            fields |= {"outcome": "upheld", "note": "It is right, too.", "confirmed": "yes"}
            self.log.golden[known.number].add(known.usual(other=True))
            self.log.happened("upheld")
        else:
            fields |= {"outcome": "dismissed", "note": "Read the section on this again."}
            self.log.happened("dismissed")
        self.visitor.post(f"{address}/rule", fields)
        return True


def _switch(known: Known, row: Mapping[str, Any]) -> int:
    """The number of the switch that puts the polished word back."""
    start, end, new = known.polish
    switches = [
        piece["switch"]
        for piece in row["pieces"]
        if (piece["source"], piece["target"]) == (known.source[start:end], new)
    ]
    assert len(switches) == 1, row["pieces"]
    return int(switches[0])

"""Bots that annotate, each with its own weakness; all answers follow from the sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from server.team.log import CORRECTED, ERROR_FREE, NOT_ANNOTATABLE, Handed, Log
from server.team.sentences import Edits, Known
from server.team.visitor import Page, Visitor

Said = tuple[str, tuple[Edits, ...]]
"""A decision, and the edits of each text."""


def good(known: Known) -> Said:
    """Always right; gives both texts where two are right, or now and then only the other."""
    if known.kind != CORRECTED:
        return known.kind, ()
    if known.has_choice and known.number % 3 == 0:
        return CORRECTED, (known.usual(), known.usual(other=True))
    return CORRECTED, (known.usual(other=known.number % 3 == 1),)


def sloppy(known: Known) -> Said:
    """Misses the last error of two, and the only one of every fourth sentence."""
    if known.kind != CORRECTED:
        return known.kind, ()
    fixes = [known.fixes(n)[-1] for n in range(len(known.errors))]
    if (len(fixes) > 1 and known.number % 2) or (len(fixes) == 1 and known.number % 4 == 2):
        fixes.pop()
    # Its text is then the sentence itself; the server asks whether it is free of errors.
    return CORRECTED, (frozenset(fixes),)


def polishing(known: Known) -> Said:
    """Rewrites what is right, too, of two sentences in three; even where nothing is wrong."""
    if known.kind == NOT_ANNOTATABLE or (known.kind == ERROR_FREE and known.number % 3 == 0):
        return known.kind, ()
    extra = {known.polish} if known.number % 3 else set()
    return CORRECTED, (known.usual() | extra,)


def misusing(known: Known) -> Said:
    """Writes the placeholder where everybody knows what is missing."""
    if known.kind != CORRECTED:
        return known.kind, ()
    choice = -1 if known.number % 8 == 4 else 0
    edits = {(known.misused(n) or known.fixes(n))[choice] for n in range(len(known.errors))}
    return CORRECTED, (frozenset(edits),)


def lazy(known: Known) -> Said:
    """Says "free of errors" too often."""
    if known.kind == CORRECTED and known.number % 3 == 0:
        return ERROR_FREE, ()
    if known.kind != CORRECTED:
        return known.kind, ()
    return CORRECTED, (known.usual(other=known.number % 8 == 4),)


ANNOTATORS: Mapping[str, Callable[[Known], Said]] = {
    "good": good,
    "sloppy": sloppy,
    "polishing": polishing,
    "misusing": misusing,
    "lazy": lazy,
}
SKIPPERS = ("good", "lazy")


class Bot:
    """Somebody who is signed in and knows the sentences by their texts.

    Args:
        visitor: Their browser.
        login: Their name for signing in.
        slug: Of the project.
        book: Text of a sentence to all that is known of it.
        log: Where they write what they did.
    """

    def __init__(
        self, visitor: Visitor, login: str, slug: str, book: Mapping[str, Known], log: Log
    ) -> None:
        self.visitor, self.login, self.slug = visitor, login, slug
        self.book, self.log = book, log

    def path(self, *parts: object) -> str:
        """An address of the project."""
        return "/".join(("", "p", self.slug, *map(str, parts)))


class Annotator(Bot):
    """Works on one task after the other until there is none; then studies."""

    skipped = 0

    def works(self) -> None:
        """Draft, hand in, and go on with what the server gives."""
        task = self.visitor.get(self.path("work")).data("page")["task"]
        while task is not None:
            known = self.book[task["text"]]
            if self._skips(known):
                task = self._skip(task)
                continue
            decision, edits = ANNOTATORS[self.login](known)
            texts = [known.text(edit) for edit in edits]
            if known.number % 5 == 0:
                self._draft(task, decision, texts)
            task = self._hand_in(task, known, decision, edits)

    def _skips(self, known: Known) -> bool:
        return self.login in SKIPPERS and self.skipped < 3 and known.number % 9 == 4

    def _skip(self, task: Mapping[str, Any]) -> Any:
        self.skipped += 1
        self.log.happened("skipped")
        return self.visitor.send(task["skipUrl"], {"version": task["version"]}).json["next"]

    def _draft(self, task: dict[str, Any], decision: str, texts: list[str]) -> None:
        rev = task["draft"]["rev"] if task["draft"] else 0
        payload = {"decision": decision, "texts": texts or [task["text"]]}
        body = {"rev": rev, "payload": payload}
        answer = self.visitor.send(task["draftUrl"], body, method="PUT").json
        task["version"] = answer["version"]
        self.log.happened("drafts")

    def _hand_in(
        self, task: Mapping[str, Any], known: Known, decision: str, edits: tuple[Edits, ...]
    ) -> Any:
        body = {
            "decision": decision,
            "texts": [known.text(edit) for edit in edits],
            "reason": "incomprehensible" if decision == NOT_ANNOTATABLE else "",
            "version": task["version"],
            "client_key": str(uuid4()),
            "active_ms": 4000,
        }
        response = self.visitor.send(task["submitUrl"], body, expect=(200, 422))
        if response.status == 422 and response.json["error"] == "refused":
            assert [problem["code"] for problem in response.json["problems"]] == ["ANN-10"], (
                response.text
            )
            self.log.happened("asked whether free of errors")
            body |= {"decision": ERROR_FREE, "texts": []}
            decision, edits = ERROR_FREE, ()
            response = self.visitor.send(task["submitUrl"], body, expect=(200, 422))
        if response.status == 422:
            assert response.json["confirm"], response.text
            self.log.happened("confirmed")
            response = self.visitor.send(task["submitUrl"], {**body, "confirmed": True})
        self.log.handed.append(Handed(self.login, known, decision, edits))
        return response.json["next"]

    def studies(self) -> int:
        """Go through the open items once; how many were open."""
        items = self.visitor.get(self.path("study")).all(rf'href="({self.path("study")}/\d+)"')
        for item in items:
            page = self.visitor.get(item)
            if f'action="{item}/try"' in page.text:  # an upheld complaint may have closed it
                self._study(item, page)
        return len(items)

    def _study(self, item: str, page: Page) -> None:
        data = page.data("study-data")
        known = self.book[data["source"]]
        reading = known.readings.get(data["original"])
        complaint = page.all(rf'href="({self.path("problems")}/\d+)"')
        if complaint:
            shown = self.visitor.get(complaint[0])
            if "Bring it to a manager" in shown.text and known.number % 5 == 0:
                self._complain(item, shown, "Look at it once more: nothing is wrong here.")
                return
            if "It waits for a decision." in shown.text:
                return
        elif self._insists(known, reading, data["original"]):
            self._complain(item, page, "It is right as it stands.")
            return
        self._mend(item, page, known, data)

    def _insists(self, known: Known, reading: Edits | None, text: str) -> bool:
        if known.kind == CORRECTED and text != known.source:
            return reading in known.right
        return self.login == "lazy" and known.number % 15 == 0

    def _complain(self, item: str, page: Page, argument: str) -> None:
        fields = page.form(f"{item}/complain")
        assert fields, f"nobody can complain at {item}"
        self.visitor.post(f"{item}/complain", {**fields, "argument": argument})
        self.log.happened("complaints")

    def _mend(self, item: str, page: Page, known: Known, data: Mapping[str, Any]) -> None:
        """First once more what was wrong, then what is right."""
        version = data["version"]
        wrong = NOT_ANNOTATABLE if known.kind != NOT_ANNOTATABLE else ERROR_FREE
        if "data-told" in page.text and '<details class="tries">' not in page.text:
            answer = self._try(data, version, wrong, ())
            assert not answer["matched"]
            version = answer["version"]
            assert 'id="golden"' in self.visitor.get(item).text
        texts = (known.text(known.usual()),) if known.kind == CORRECTED else ()
        assert self._try(data, version, known.kind, texts)["matched"], known
        self.log.happened("mended")

    def _try(
        self, data: Mapping[str, Any], version: int, decision: str, texts: tuple[str, ...]
    ) -> Any:
        body = {
            "version": version,
            "client_key": str(uuid4()),
            "decision": decision,
            "texts": list(texts),
            "reason": "incomprehensible" if decision == NOT_ANNOTATABLE else "",
        }
        return self.visitor.send(data["urls"]["attempt"], body).json

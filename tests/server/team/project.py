"""A project from the first page to the last: made, staffed, filled, worked on until all is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from server.live import Live
from server.team.bots import ANNOTATORS, Annotator
from server.team.log import Log
from server.team.reviewers import Reviewer
from server.team.sentences import Known
from server.team.visitor import Visitor

SOURCES = ("essays", "letters")
"""The first three fifths of the sentences are of one source, the rest of another."""

ROUNDS = 8


def at_once(acts: Iterable[Callable[[], object]]) -> list[object]:
    """Do several things at the same time, as people do."""
    with ThreadPoolExecutor(8) as pool:
        return [future.result() for future in [pool.submit(act) for act in acts]]


def parts_of(sentences: Sequence[Known]) -> Mapping[str, Sequence[Known]]:
    """The sentences of each source."""
    cut = len(sentences) * 3 // 5
    return dict(zip(SOURCES, (sentences[:cut], sentences[cut:]), strict=True))


class Team:
    """A manager, five annotators and two reviewers, and one project.

    Args:
        live: The server; its administrator is "root".
        lang: Of the sentences.
        sentences: All of which everything is known.
    """

    slug = "team"

    def __init__(self, live: Live, lang: str, sentences: Sequence[Known]) -> None:
        self.live, self.lang, self.sentences = live, lang, sentences
        self.log = Log()
        self.book = {sentence.source: sentence for sentence in sentences}
        assert len(self.book) == len(sentences)
        self.visitors: list[Visitor] = []

    def begin(self) -> None:
        """Make the project, let everybody in, and import the sentences."""
        self.root = self._visitor()
        self.root.signs_in("root", self.live.PASSWORD)
        self._make()
        people = dict.fromkeys(ANNOTATORS, "annotator") | {
            "rita": "reviewer",
            "ron": "reviewer",
        }
        links = {name: self._invited(role) for name, role in [*people.items(), ("boss", "manager")]}
        visitors = {name: self._joined(name, link) for name, link in links.items()}
        self.annotators = [
            Annotator(visitors[login], login, self.slug, self.book, self.log)
            for login in ANNOTATORS
        ]
        self.reviewers = [
            Reviewer(visitors[login], login, self.slug, self.book, self.log)
            for login in ("rita", "ron")
        ]
        self.boss = Reviewer(visitors["boss"], "boss", self.slug, self.book, self.log)
        for source, part in parts_of(self.sentences).items():
            self._import(source, part)

    @property
    def manage(self) -> str:
        """The address of the manager's pages."""
        return f"/p/{self.slug}/manage"

    def _visitor(self) -> Visitor:
        self.visitors.append(Visitor(self.live.port))
        return self.visitors[-1]

    def _make(self) -> None:
        self.root.get("/projects/new")
        fields = {"name": "Team", "slug": self.slug, "lang": self.lang, "template": "mucgec"}
        self.root.post("/projects/new", fields)

    def _invited(self, role: str) -> str:
        self.root.get(f"{self.manage}/members")
        page = self.root.post(f"{self.manage}/members/invite", {"roles": role, "people": role})
        link = re.search(r'value="http[^"]*(/invitation/[^"]+)"', page.text)
        assert link, page.text
        return link[1]

    def _joined(self, name: str, link: str) -> Visitor:
        """Come by the link, choose a password, sign out and in again, and read the guideline."""
        visitor = self._visitor()
        visitor.get(link)
        password = f"the password of {name}"
        fields = {"login": name, "name": name.title(), "password": password, "again": password}
        visitor.post(link, fields)
        visitor.post("/logout")
        visitor.signs_in(name, password)
        front = visitor.get(f"/p/{self.slug}/guide")
        for action in front.all(rf'action="(/p/{self.slug}/guide/acknowledge/\d+)"'):
            visitor.post(action, {"next": f"/p/{self.slug}/guide"})
        return visitor

    def _import(self, source: str, part: Sequence[Known]) -> None:
        visitor = self.boss.visitor
        visitor.get(f"{self.manage}/import")
        content = "".join(f"s{sentence.number}\t{sentence.source}\n" for sentence in part)
        report = visitor.upload(f"{self.manage}/import", f"{source}.tsv", content)
        address = report.all(rf'action="({self.manage}/import/[0-9a-f]+/run)"')
        assert address, report.text
        response = visitor.post(address[0], {"format": "mucgec", "source": source})
        assert f"{len(part)} sentences were imported" in response.text, response.text

    def work(self) -> None:
        """Annotate and review until every sentence is decided."""
        for _ in range(ROUNDS):
            at_once(annotator.works for annotator in self.annotators)
            at_once(reviewer.reviews for reviewer in self.reviewers)
            if len(self.log.kinds) == len(self.sentences):
                return
        raise AssertionError(f"{len(self.log.kinds)} of {len(self.sentences)} are decided")

    def learn(self) -> None:
        """Study, complain and rule until nothing is open."""
        for _ in range(ROUNDS):
            left = sum(at_once(annotator.studies for annotator in self.annotators))
            left += sum(person.rules() for person in (*self.reviewers, self.boss))
            if not left:
                return
        raise AssertionError(f"{left} study items and complaints are still open")

    def close(self) -> None:
        """Everybody leaves."""
        for visitor in self.visitors:
            visitor.close()

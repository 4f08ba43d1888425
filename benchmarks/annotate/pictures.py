"""Takes the pictures of docs/annotate: a made site, its pages in Chromium.

python benchmarks/annotate/pictures.py docs/annotate/images --browser /usr/bin/chromium
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import team
from PIL import Image
from place import LoadError, Place
from playwright.sync_api import Browser, Page, sync_playwright

import gecbench

NAMES = {
    "en": ("Learner essays", "Li Wei", "Wang Fang", "Zhao Lin", "Sun Yue", "Mei Chen"),
    "zh": ("学习者作文", "李伟", "王芳", "赵琳", "孙悦", "陈梅"),
}
ROLES = ("annotator", "annotator", "annotator", "reviewer", "manager")
"""Of the people in NAMES, who come after the name of the project."""
REVIEWED = {
    "en": (
        "The life in a big city is more expensive than in the countryside.",
        "Living in a big city costs far more than living in the countryside.",
        "Life in a big city is more expensive than life in the countryside.",
    ),
    "zh": (
        "他们为了提高汉语水平，每天都看中文电视剧很多。",
        "为了提高自己的汉语水平，他们每天都要看很多中文电视剧。",
        "他们为了提高汉语水平，每天都看很多中文电视剧。",
    ),
}
"""The sentence of the review page, and two answers; the third is that it is free of errors."""
CASES = {
    "en": (
        (
            "She have lived in this town since ten years .",
            "She has lived in this town for ten years .",
        ),
        ("We went school by bus every days .", "We went to school by bus every day ."),
    ),
    "zh": (
        ("我对中国历史很感到兴趣，常去图书管看书。", "我对中国历史很感兴趣，常去图书馆看书。"),
        ("他昨天去看了电影院里的一步新电影。", "他昨天去看了电影院里的一部新电影。"),
    ),
}
"""Cases of perturbation: the variants of the first wait for review, the second is being written."""
VARIANTS = {
    "en": (
        ("He ", " lived in this town ", " ten years ."),
        ("She ", " lived here ", " ten years ."),
    ),
    "zh": (
        ("我对中国文化很感", "兴趣，常去图书", "看书。"),
        ("我对中国历史很感", "兴趣，常去图书", "借书。"),
    ),
}
SCHEMES = {"en": "en-errant", "zh": "zh-char"}
ANSWERED = (14, 13, 12)
"""How many sentences each annotator has answered."""
DECIDED = 7
"""Sentences that are decided; the next one is shown in review."""
TABLES = {
    "en": (
        "essay,line,learner,teacher 1,teacher 2\n"
        "e1,1,He speak Chinese very good.,He speaks Chinese very well.,"
        "He speaks very good Chinese.\n"
        "e1,2,She is more taller than me.,She is taller than me.,\n"
        "e2,1,We discussed about it.,We discussed it.,We discussed it.\n"
        "e2,2,I have went to Beijing last year.,I went to Beijing last year.,\n"
    ),
    "zh": (
        "essay,line,learner,teacher 1,teacher 2\n"
        "e1,1,他汉语说得很好极了。,他汉语说得好极了。,他汉语说得很好。\n"
        "e1,2,她比我很高。,她比我高得多。,\n"
        "e2,1,我们见面了老师。,我们见了老师。,我们见了老师。\n"
        "e2,2,我去年去北京了旅游。,我去年去北京旅游了。,\n"
    ),
}


def corpus(lang: str) -> dict[str, list[str]]:
    """Sentences of the bundled samples with what a good annotator writes for each."""
    samples = gecbench.load(gecbench.sample(lang, "corpus.jsonl"), lang=lang).samples
    texts = {
        sample.source: [ref.text for ref in sample.references if ref.text] for sample in samples
    }
    source, *references = REVIEWED[lang]
    texts.pop(source, None)
    rows = [(source, refs) for source, refs in texts.items() if refs]
    return dict([*rows[:DECIDED], (source, references), *rows[DECIDED:]])


def fill(folder: Path) -> None:
    """Write the rows by the services that the pages call, in a process of its own."""
    from gecbench.server.site.folder import open_site

    open_site(folder)
    for lang in NAMES:
        fill_project(lang)
        fill_cases(lang)


def fill_project(lang: str) -> None:
    """Make one project, its people, and what they have done so far."""
    from django.contrib.auth.hashers import make_password
    from django.utils import timezone

    from gecbench.server import statistics
    from gecbench.server.models import Assignment, Person, Project, Sentence, Study
    from gecbench.server.workflow import (
        assignments,
        complaints,
        members,
        projects,
        reviews,
        sentences,
    )

    name, *names = NAMES[lang]
    hashed, language = make_password(team.PASSWORD), "zh-hans" if lang == "zh" else "en"
    people = [
        Person.objects.create(login=f"{lang}{n}", name=name, password=hashed, language=language)
        for n, name in enumerate(names)
    ]
    project = projects.create_project(slug=lang, name=name, lang=lang, by=people[-1], annotators=3)
    rows = [
        sentences.NewSentence(
            external_id=f"{lang}-{n:03}",
            text=text,
            source="letters" if n % 3 else "essays",
            meta={"document": f"{n // 6 + 1}", "position": f"{n % 6 + 1}"},
        )
        for n, text in enumerate(corpus(lang))
    ]
    sentences.add_sentences(project, rows)
    project = Project.objects.get(pk=project.pk)
    *annotators, reviewer, manager = [
        members.add_member(project, person, roles=[role], by=people[-1])
        for person, role in zip(people, ROLES, strict=True)
    ]
    for person in people:
        projects.acknowledge(project.guideline, person)
    quotas = zip(annotators, ANSWERED, (20, 30, 60), (3, 4, 1), strict=True)
    for n, (member, number, total, days) in enumerate(quotas):
        due_at = timezone.now() + timedelta(days=days)
        assignments.give_quota(manager, member, number=total, due_at=due_at)
        for answer in answers(lang, n, number):
            submit(member, answer)
    Assignment.objects.update(at=timezone.now() - timedelta(days=2))  # so that somebody is behind
    numbers = dict(Sentence.objects.filter(project=project).values_list("number", "pk"))
    for number in range(1, DECIDED + 1):
        decide(reviewer, numbers[number])
    reviews.open_review(reviewer, numbers[DECIDED + 1])
    study = Study.objects.filter(project=project).order_by("pk")[0]
    words = "It can be said like this." if lang == "en" else "也可以这样说。"
    complaints.complain(annotators[-1], study.pk, argument=words, client_key=uuid4())
    statistics.refresh(project)


def fill_cases(lang: str) -> None:
    """Make one project of variants, of the same people."""
    from gecbench.server.models import Person, Project, Sentence
    from gecbench.server.rules.perturbation import divide
    from gecbench.server.workflow import members, perturbation, projects, sentences

    people = list(Person.objects.filter(login__startswith=lang).order_by("pk"))
    project = projects.create_project(
        slug=f"{lang}-variants",
        name=NAMES[lang][0],
        lang=lang,
        by=people[-1],
        template="robustgec",
        annotators=2,
    )
    scheme = perturbation.load_aligner(SCHEMES[lang], lang)
    cases = zip(CASES[lang], divide(scheme, CASES[lang]), strict=True)
    rows = [
        sentences.NewSentence(
            external_id=f"{lang}-{n}",
            text=source,
            case=sentences.NewCase(target, division, SCHEMES[lang], ""),
        )
        for n, ((source, target), division) in enumerate(cases)
    ]
    sentences.add_sentences(project, rows)
    project = Project.objects.get(pk=project.pk)
    added = [
        members.add_member(project, person, roles=[role], by=people[-1])
        for person, role in zip(people, ROLES, strict=True)
    ]
    for person in people:
        projects.acknowledge(project.guideline, person)
    source = Sentence.objects.get(project=project, number=1).text
    for member, gaps in zip(added, VARIANTS[lang], strict=False):
        submit(member, {"source": source, "texts": gaps})


def answers(lang: str, annotator: int, number: int) -> Iterator[dict[str, Any]]:
    """What an annotator writes for the sentences, by sentence: the third is often wrong."""
    for n, (source, references) in enumerate(list(corpus(lang).items())[:number]):
        text = references[min(annotator, len(references) - 1)]
        yield {"source": source, "text": "" if annotator == 2 and n % 2 else text}


def submit(member: Any, answer: dict[str, Any]) -> None:
    """Hand in an answer for its sentence; an empty text says that it is free of errors."""
    from django.db import transaction

    from gecbench.server.choices import Decision
    from gecbench.server.models import Sentence, Slot
    from gecbench.server.workflow import sentences, submissions
    from gecbench.server.workflow.answers import Answer
    from gecbench.server.workflow.transactions import lock_member, lock_sentence

    with transaction.atomic():
        fresh = lock_member(member)
        sentence = Sentence.objects.get(project=fresh.project_id, text=answer["source"])
        row = lock_sentence(sentence.pk, fresh.project_id)
        free = Slot.objects.filter(sentence=row, state="free").order_by("no")[0]
        slot = sentences.open_slot(fresh, row, free.pk, open_no=1)
    if slot is None:
        raise LoadError(f"nobody may take {answer['source']!r}")
    texts = answer.get("texts") or tuple(filter(None, [answer.get("text")]))
    written = Answer(Decision.CORRECTED, texts) if texts else Answer(Decision.ERROR_FREE)
    key, version = uuid4(), slot.version
    submissions.submit(member, slot.pk, version=version, client_key=key, answer=written)


def decide(reviewer: Any, sentence: int) -> None:
    """Review a sentence: texts are right, and "free of errors" is wrong."""
    from gecbench.server.choices import Decision, RejectReason
    from gecbench.server.workflow import reviews
    from gecbench.server.workflow.answers import ReviewAnswer, VerdictAnswer

    task = reviews.open_review(reviewer, sentence)
    verdicts = [
        VerdictAnswer(candidate.key, False, (RejectReason.INCOMPLETE,), "Read it once more.", "")
        if candidate.key == Decision.ERROR_FREE
        else VerdictAnswer(candidate.key, True)
        for candidate in reviews.candidates(task, reviewer)
    ]
    answer = ReviewAnswer(Decision.CORRECTED, verdicts, (), confirmed=True)
    key, version = uuid4(), task.version
    reviews.finalise(reviewer, sentence, version=version, client_key=key, answer=answer)


# The pages.


def sign_in(browser: Browser, url: str, login: str, width: int) -> Page:
    """A page of somebody, so wide."""
    page = browser.new_page(base_url=url, viewport={"width": width, "height": 800})
    page.goto("/login")
    page.fill("input[name=login]", login)
    page.fill("input[name=password]", team.PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{url}/")
    return page


def take_work(page: Page, lang: str, folder: Path) -> None:
    """The annotation page with two corrections, then with the guideline beside it."""
    page.goto(f"/p/{lang}/work")
    page.locator("#reference-0").wait_for()
    references = corpus(lang)[page.inner_text("#sentence")]
    page.fill("#reference-0", references[0])
    page.keyboard.press("Alt+a")
    page.fill("#reference-1", references[-1].replace("。", "！").replace(".", "!"))
    page.locator('#saving[data-state="saved"]').wait_for()
    page.wait_for_timeout(1500)
    page.screenshot(path=folder / f"work-{lang}.png", full_page=True)
    page.keyboard.press("F1")
    page.locator("#drawer[open] h3, #drawer[open] h2").first.wait_for()
    page.wait_for_timeout(500)
    page.screenshot(path=folder / f"drawer-{lang}.png")


def take_review(page: Page, lang: str, folder: Path) -> None:
    """The review page: a text that changes too much is fixed, one is right, a decision is wrong."""
    page.set_viewport_size({"width": 1160, "height": 1400})  # the bar below stays below
    page.goto(f"/p/{lang}/review")
    page.locator(".candidate").first.wait_for()
    for row in page.locator(".candidate").all():
        row.locator("[name^=verdict-][value=correct]").evaluate("box => box.click()")
    too_much = page.locator(".candidate", has_text=re.compile("costs|自己"))
    for row in (too_much, page.locator(".whole-decision")):
        row.locator("[name^=verdict-][value=wrong]").evaluate("box => box.click()")
    page.locator(".whole-decision [value=incomplete]").evaluate("box => box.click()")
    too_much.locator("[value=overcorrection]").evaluate("box => box.click()")
    too_much.locator("[data-switch]").first.click()
    page.wait_for_timeout(1500)
    page.screenshot(path=folder / f"review-{lang}.png")


def take_variant(page: Page, lang: str, folder: Path) -> None:
    """The page of a variant, with a word changed."""
    page.goto(f"/p/{lang}-variants/work")
    page.locator(".gap:focus").wait_for()
    page.keyboard.press("Alt+1")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("They went" if lang == "en" else "她昨天去看了电影院里的一")
    page.locator('#saving[data-state="saved"]').wait_for()
    page.wait_for_timeout(1500)
    page.screenshot(path=folder / f"perturb-{lang}.png")


def take_check(page: Page, lang: str, folder: Path) -> None:
    """The page of a reviewer of variants: one is accepted, one returned."""
    page.set_viewport_size({"width": 1160, "height": 1120})  # the bar below stays below
    page.goto(f"/p/{lang}-variants/review")
    page.locator("[data-row='0']:focus").wait_for()
    for key in ("1", "w", "d"):
        page.keyboard.press(key)
    page.wait_for_timeout(1500)
    page.screenshot(path=folder / f"perturb-check-{lang}.png")


def take_manage(page: Page, lang: str, folder: Path) -> None:
    """The pages of a manager."""
    page.goto(f"/p/{lang}/manage/members")
    page.screenshot(path=folder / f"manage-members-{lang}.png")
    page.goto(f"/p/{lang}/manage/")
    page.screenshot(path=folder / f"manage-overview-{lang}.png", full_page=True)
    page.goto(f"/p/{lang}/manage/sentences?state=golden")
    page.locator(".sentences td a").first.click()
    page.locator(".timeline").wait_for()
    page.screenshot(path=folder / f"manage-sentence-{lang}.png", full_page=True)
    page.goto(f"/p/{lang}/manage/import")
    file = {"name": "essays.csv", "mimeType": "text/csv", "buffer": TABLES[lang].encode()}
    page.set_input_files("#file", file)
    page.click("button.primary")
    chosen = "&column_references=".join(("teacher%201", "teacher%202"))
    columns = f"column_source=learner&column_references={chosen}"
    page.set_viewport_size({"width": 1160, "height": 1400})
    page.goto(f"{page.url}?{columns}&column_document=essay&column_position=line&references=keep")
    page.screenshot(path=folder / f"manage-import-{lang}.png")


def main() -> int:
    """Make the site, take the pictures, and remove the site."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="Where the pictures go.")
    parser.add_argument("--browser", help="Path of a Chromium; else Playwright's own.")
    parser.add_argument("--fill", action="store_true", help="Only fill the site in the folder.")
    chosen = parser.parse_args()
    if chosen.fill:
        fill(chosen.folder)
        return 0
    with TemporaryDirectory() as temporary, sync_playwright() as machine:
        place = Place(Path(temporary) / "site", "", 1)
        place.gecbench("init", place.folder, "--time-zone", "Asia/Shanghai")
        place.python(__file__, place.folder, "--fill")
        place.start()
        browser = machine.chromium.launch(executable_path=chosen.browser, args=["--no-sandbox"])
        url = f"http://127.0.0.1:{place.port}"
        try:
            for lang in NAMES:
                take_work(sign_in(browser, url, f"{lang}2", 1240), lang, chosen.folder)
                take_review(sign_in(browser, url, f"{lang}3", 1160), lang, chosen.folder)
                take_variant(sign_in(browser, url, f"{lang}2", 1240), lang, chosen.folder)
                take_check(sign_in(browser, url, f"{lang}3", 1160), lang, chosen.folder)
                take_manage(sign_in(browser, url, f"{lang}4", 1160), lang, chosen.folder)
            for path in chosen.folder.glob("*.png"):
                Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
        finally:
            browser.close()
            place.stop()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LoadError as error:
        sys.exit(f"pictures.py: {error}")

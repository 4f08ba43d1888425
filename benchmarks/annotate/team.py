"""Makes the project and its people in a new site; run by load.py in a process of its own.

python benchmarks/annotate/team.py FOLDER ANNOTATORS REVIEWERS TEMPLATE
"""

from __future__ import annotations

import sys
from pathlib import Path

SLUG = "load"
PASSWORD = "correct horse battery"  # of people who live for one run
MANAGER = "manager"


def logins(annotators: int, reviewers: int) -> dict[str, str]:
    """Return everybody's login and role."""
    writing = {f"annotator{n}": "annotator" for n in range(annotators)}
    deciding = {f"reviewer{n}": "reviewer" for n in range(reviewers)}
    return {**writing, **deciding, MANAGER: "manager"}


def main(folder: Path, annotators: int, reviewers: int, template: str) -> None:
    """Write the rows by the services that the pages call."""
    from gecbench.server.site.folder import open_site

    open_site(folder)
    from django.contrib.auth.hashers import make_password

    from gecbench.server.models import Person, Project
    from gecbench.server.workflow import members, projects

    hashed = make_password(PASSWORD)
    boss = Person.objects.create(login="boss", name="Boss", is_administrator=True)
    created = projects.create_project(
        slug=SLUG, name="Load", lang="zh", by=boss, template=template, annotators=3
    )
    project = Project.objects.get(pk=created.pk)
    for login, role in logins(annotators, reviewers).items():
        person = Person.objects.create(login=login, name=login.title(), password=hashed)
        members.add_member(project, person, roles=[role], by=boss)
        projects.acknowledge(project.guideline, person)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])

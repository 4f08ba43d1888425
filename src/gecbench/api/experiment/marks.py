"""What is done, and from what it was made: marks beside results, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from gecbench import __version__
from gecbench.api.experiment.inputs import Found, file_of
from gecbench.api.experiment.plan import Plan, Task
from gecbench.core.errors import GecbenchError
from gecbench.core.files import make_folder, read_bytes, write_bytes

_INPUTS = "inputs.json"
_BLOCK = 1 << 20


@dataclass
class Marks:
    """The marks of an experiment's folder.

    A task is done when its mark says that its words, its inputs and the results it used are what
    they are now, and its own result is still what it was. Files whose size and time of change are
    those of the mark are not read again.

    Args:
        plan: Whose tasks.
    """

    plan: Plan
    _keys: dict[str, str | None] = field(default_factory=dict)
    _seen: dict[str, Any] | None = None

    @property
    def folder(self) -> Path:
        """Where marks lie."""
        return self.plan.folder / "marks"

    def done(self, task: Task) -> bool:
        """Return whether a task need not be run."""
        return self._result(task) is not None

    def key(self, task: Task) -> str | None:
        """Return what a task's result depends on; None while a task that it needs is not done."""
        if task.name not in self._keys:
            self._keys[task.name] = self._key(task)
        return self._keys[task.name]

    def goes_on(self, task: Task) -> bool:
        """Return whether a task, begun now, goes on with what it began before."""
        path = self.folder / f"{task.name}.begun"
        return path.exists() and read_bytes(path) == str(self.key(task)).encode()

    def forget(self, task: Task) -> None:
        """Remove what says that a task was begun or done, before its results are removed."""
        for name in ("json", "begun"):
            (self.folder / f"{task.name}.{name}").unlink(missing_ok=True)

    def begin(self, task: Task) -> None:
        """Note that a task begins."""
        make_folder(self.folder)
        (self.folder / f"{task.name}.json").unlink(missing_ok=True)
        write_bytes(self.folder / f"{task.name}.begun", str(self.key(task)).encode())

    def end(self, task: Task, seconds: float) -> None:
        """Note that a task is done."""
        mark = {
            "key": self.key(task),
            "words": list(task.words),
            "files": _listed(task.makes, {}),
            "seconds": round(seconds, 1),
            "gecbench": __version__,
        }
        path = self.folder / f"{task.name}.json"
        write_bytes(path, (json.dumps(mark, ensure_ascii=False, indent=1) + "\n").encode())
        self._keys.clear()

    def mark(self, task: Task) -> Mapping[str, Any]:
        """Return what the mark of a task says; nothing where there is none.

        Raises:
            GecbenchError: It is damaged.
        """
        path = self.folder / f"{task.name}.json"
        if not path.exists():
            return {}
        found = _read(path)
        files = found.get("files")
        if (
            "key" not in found
            or not isinstance(files, dict)
            or not all(map(_about, files.values()))
        ):
            raise GecbenchError(f"{path}: is damaged (no key or files); remove it")
        return found

    def _result(self, task: Task) -> str | None:
        """Return the fingerprint of what a task has made; None while it is not done."""
        mark = self.mark(task)
        if not mark or not task.makes.exists():
            return None
        key = self.key(task)
        files = _listed(task.makes, mark["files"])
        if key is None or mark["key"] != key or _of(files) != _of(mark["files"]):
            return None
        return _of(files)

    def _key(self, task: Task) -> str | None:
        used: dict[str, str] = {}
        for name in task.needs:
            result = self._result(self.plan.tasks[name])
            if result is None:
                return None
            used[f"<{name}>"] = result
        for name in task.inputs:
            used[f"<{name}>"] = self._input(self.plan.inputs[name])
        for recipe in _recipes(task):
            used[str(recipe.name)] = hashlib.sha256(read_bytes(recipe)).hexdigest()
        told = json.dumps([task.identity, used], ensure_ascii=False)
        return hashlib.sha256(told.encode()).hexdigest()

    def _input(self, found: Found) -> str:
        """Return the fingerprint of an input; a name on the hub stands for itself."""
        place = found.place
        path = file_of(found.given, place)
        if not path.exists():
            return place
        cache = self.folder / _INPUTS
        if self._seen is None:
            self._seen = _read(cache) if cache.exists() else {}
        before = self._seen.get(place, {})
        files = _listed(path, before)
        if files != before:
            self._seen[place] = files
            make_folder(self.folder)
            write_bytes(cache, json.dumps(self._seen).encode())
        return _of(files)


def _recipes(task: Task) -> Iterator[Path]:
    """Yield the packaged recipes that a task's words name: another recipe, another result."""
    from gecbench.api.train import recipes

    for word, name in pairwise(task.words):
        if word == "--recipe" and name in (known := recipes()):
            yield known[name]


def _about(file: object) -> bool:
    """Return whether a mark has size, time of change and sha256 of a file."""
    return isinstance(file, list) and len(file) == 3


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path))
    except ValueError as error:
        raise GecbenchError(f"{path}: is damaged ({error}); remove it") from error
    if not isinstance(found, dict):
        raise GecbenchError(f"{path}: is damaged (no object); remove it")
    return found


def _listed(path: Path, before: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return size, time of change and sha256 of a file, or of all files in a folder."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    found = {}
    for each in files:
        name = "" if each == path else str(each.relative_to(path))
        about = each.stat()
        known = before.get(name)
        if known and known[:2] == [about.st_size, about.st_mtime_ns]:
            found[name] = list(known)
        else:
            found[name] = [about.st_size, about.st_mtime_ns, _digest(each)]
    return found


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be read: {error.strerror}") from error
    return found.hexdigest()


def _of(files: Mapping[str, Any]) -> str:
    """Return one fingerprint for a list of files: names and contents, whenever they changed."""
    told = json.dumps(sorted((name, about[2]) for name, about in files.items()))
    return hashlib.sha256(told.encode()).hexdigest()

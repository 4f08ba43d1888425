"""Work in several processes keeps its order, and ends whatever happens."""

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gecbench.core.errors import ResourceError
from gecbench.core.processes import map_in_processes

PROCESS = "__import__('os').getpid()"
# Other processes know no function of a test; `eval` is one that all know.


def test_results_are_in_order_and_from_other_processes():
    slow_first = ["__import__('time').sleep(0.1)", *map(str, range(1, 9))]
    assert list(map_in_processes(eval, slow_first, 2, str)) == [None, *range(1, 9)]
    assert os.getpid() not in set(map_in_processes(eval, [PROCESS] * 5, 2, str))
    assert list(map_in_processes(eval, [PROCESS] * 2, 1, str)) == [os.getpid()] * 2


def test_a_process_that_dies_is_told_with_its_work():
    dies = ["__import__('os')._exit(1)", "1", "2"]
    with pytest.raises(ResourceError, match=r"a process died while it worked on .*_exit.*--jobs 1"):
        list(map_in_processes(eval, dies, 2, str))
    assert not multiprocessing.active_children()


def test_a_failure_or_an_end_before_the_last_ends_all():
    with pytest.raises(ZeroDivisionError):
        list(map_in_processes(eval, ["1", "1 / 0", *map(str, range(9))], 2, str))
    results = map_in_processes(eval, ["1", *["__import__('time').sleep(60)"] * 9], 2, str)
    assert next(results) == 1
    results.close()
    assert not multiprocessing.active_children()


def test_they_end_with_the_process_that_started_them(tmp_path: Path):
    """It may be killed, and can then tell them nothing."""
    script = tmp_path / "work.py"
    begun = "(print(__import__('os').getpid(), flush=True), __import__('time').sleep(60))"
    script.write_text(
        "from gecbench.core.processes import map_in_processes\n"
        "if __name__ == '__main__':\n"
        f"    list(map_in_processes(eval, [{begun!r}], 2, str))\n"
    )
    words = [sys.executable, str(script)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as starter:
        worker = int(starter.stdout.readline())
        starter.kill()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"process {worker} is still there")

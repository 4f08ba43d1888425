"""A Ray cluster gives what one process gives, and survives the death of its parts."""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from gecbench import sample
from gecbench.api.training_data import perturb
from gecbench.api.verb_options import PerturbOptions
from gecbench.backends.spacy import describe
from gecbench.cli import main
from gecbench.core.cluster import _count_workers, _digest, _open_parts, _Run
from gecbench.core.errors import GecbenchError, ResourceError, UsageError
from gecbench.core.options import Cluster, jobs_of_step
from gecbench.core.processes import map_in_processes
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.datasets.corrupt import corrupt
from gecbench.datasets.perturb import variants
from gecbench.datasets.prepare import prepare
from gecbench.formats import stored
from gecbench.lang.en import PIPELINE

RUN = (
    "import sys\n"
    "from pathlib import Path\n"
    "from gecbench.core.options import Cluster\n"
    "from gecbench.core.processes import map_in_processes\n"
    "address, folder, *items = sys.argv[1:]\n"
    "print(*map_in_processes(eval, items, Cluster(address, resume=Path(folder)), str))\n"
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--address", "localhost:1"], "--engine"),
        (["--resume", "parts"], "--engine"),
        (["--engine", "ray", "--address", "here"], "'here'"),
        (["--engine", "ray", "--address", "localhost:1"], "localhost:1"),
        (["--engine", "ray", "--jobs", "0"], "jobs is 0"),
    ],
)
def test_what_cannot_be_a_cluster_is_refused_in_one_line(capsys, options: list[str], message: str):
    corpus, system = sample("zh", "corpus.jsonl"), sample("zh", "eager.txt")
    with pytest.raises(SystemExit):
        main(["score", str(corpus), str(system), "--scheme", "zh-char", *options])
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"gecbench\[ray\]"):
        Cluster().check()


def test_equal_values_have_the_same_hash_in_every_process():
    literal = "('ab', frozenset(['ab', 'cd', 'ef', 'gh']), {'k': ('a' + 'b', 'ab')})"
    line = f"from gecbench.core.cluster import _digest; print(_digest({literal}))"
    other = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == _digest(eval(literal))  # noqa: S307 - ours


def test_a_folder_of_parts_is_that_of_one_task_and_never_a_foreign_file(tmp_path: Path):
    folder = tmp_path / "parts"
    with _open_parts(str(folder), ("task", 1)) as stored_parts:
        stored_parts.keep(0, "item", "result")
        assert stored_parts.load(0, "item") == ("result",)
    manifest = folder / "manifest.json"
    line = manifest.read_bytes()
    for beginning in (line, line[:20], b""):
        manifest.write_bytes(beginning)
        with _open_parts(folder, ("task", 1)) as stored_parts:
            assert stored_parts.load(0, "item") == ("result",)
        assert manifest.read_bytes() == line
    with pytest.raises(UsageError, match="other options"), _open_parts(folder, ("task", 2)):
        pass
    for foreign in (b'{"name": "a web application"}', b"no JSON\n"):
        manifest.write_bytes(foreign)
        with pytest.raises(UsageError, match="in the way"), _open_parts(folder, ("task", 1)):
            pass
        assert manifest.read_bytes() == foreign
    manifest.unlink()
    with (
        _open_parts(folder, ("task", 2)) as stored_parts,
        pytest.raises(UsageError, match="other options"),
    ):
        stored_parts.load(0, "item")


@pytest.mark.parametrize("gpus", [-1, 1.5, float("nan"), float("inf")])
def test_gpus_that_ray_cannot_give_are_refused(gpus: float):
    with pytest.raises(UsageError, match="gpus is"):
        Cluster(gpus=gpus).check()


def test_an_address_where_another_program_listens_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.0 400 Bad request\r\n\r\n")

        thread = Thread(target=answer)
        thread.start()
        with pytest.raises(ResourceError, match=f"127.0.0.1:{port}"):
            Cluster(f"127.0.0.1:{port}").check()
        thread.join()


def machines(*resources: tuple[int, int]) -> list[dict[str, Any]]:
    """What Ray says of machines with so many CPUs and GPUs; another is gone."""
    alive = [{"Alive": True, "Resources": {"CPU": c, "GPU": g}} for c, g in resources]
    return [*alive, {"Alive": False, "Resources": {}}]


@pytest.mark.parametrize(
    ("nodes", "gpus", "count"),
    [
        (machines((2, 0), (4, 0)), 0, 5),
        (machines((8, 1), (8, 1), (8, 1), (8, 1)), 0.75, 4),
        (machines((8, 1), (8, 1)), 2, 0),
        (machines((8, 5), (1, 4)), 2, 3),
        (machines((2, 2), (4, 0)), 0.25, 2),
    ],
)
def test_workers_are_as_many_as_find_room_on_single_machines(nodes, gpus, count):
    cluster = Cluster(gpus=gpus)
    if count:
        assert _count_workers(nodes, cluster) == count
    else:
        with pytest.raises(ResourceError, match="at most 1 on a machine"):
            _count_workers(nodes, cluster)


class _InlineRay:
    """Does in this process, when it is asked for, what workers do; the first of them die."""

    cloudpickle = pickle
    exceptions = SimpleNamespace(RayTaskError=ZeroDivisionError, RayError=ConnectionError)

    def __init__(self, *, dying: int = 0) -> None:
        self.dying, self.started, self.waits = dying, 0, 0

    def nodes(self) -> list[dict[str, Any]]:
        return machines((4, 0), (5, 0))

    def remote(self, **_: object) -> Callable[..., object]:
        return lambda kind: SimpleNamespace(remote=lambda: self._actor(kind()))

    def _actor(self, worker: Any) -> object:
        self.started += 1
        dies = self.started <= self.dying

        def method(name: str) -> object:
            def call(*values: object) -> Callable[[], object]:
                def result() -> object:
                    if dies:
                        raise ConnectionError("the machine is gone")
                    return getattr(worker, name)(*values)

                return result

            return SimpleNamespace(remote=call)

        handle = type("Actor", (), {"start": method("start"), "work": method("work")})
        return handle()

    def put(self, value: object) -> object:
        return value

    def get(self, answer: Callable[[], object]) -> object:
        return answer()

    def wait(self, answers: list[Any], *, num_returns: int, timeout: float | None) -> Any:
        self.waits += 1
        return ([] if self.waits == 1 and timeout else answers[:num_returns]), []

    def kill(self, worker: object) -> None:
        pass


def test_a_machine_that_goes_while_its_workers_start_does_not_end_the_run(caplog):
    ray = _InlineRay(dying=6)
    run = _Run(ray, Cluster(), abs, str, None)
    assert list(run.results([-1, -2, -3, -4, -5, -6, -7, -8, -9])) == list(range(1, 10))
    assert caplog.messages == [
        "note: waiting for 8 CPUs of the cluster; ray status shows who has them"
    ]
    with pytest.raises(ResourceError, match="32 times"):
        list(_Run(_InlineRay(dying=99), Cluster(), abs, str, None).results([-1] * 99))


def test_no_more_workers_are_started_than_there_are_parts():
    ray = _InlineRay()
    assert list(_Run(ray, Cluster(), abs, str, None).results([-1, -2])) == [1, 2]
    assert ray.started == 2


def test_a_plugin_or_script_that_changed_is_another_task(tmp_path: Path):
    script = tmp_path / "script.py"
    line = "from gecbench.core.cluster import _digest\ndef double(n): return n * {}\nprint({})\n"
    hashes = []
    for factor in (2, 2, 3):
        script.write_text(line.format(factor, "_digest(double)"))
        command = [sys.executable, str(script)]
        hashes.append(subprocess.run(command, capture_output=True, check=True).stdout)
    assert hashes[0] == hashes[1] != hashes[2]
    typed = [sys.executable, "-c", line.format(2, "_digest(double)")]
    assert b"typed into" in subprocess.run(typed, capture_output=True, check=False).stderr


def test_perturbation_goes_on_with_the_same_pipeline_alone(monkeypatch, tmp_path: Path):
    clusters = []

    def here(function, items, jobs, describe):
        clusters.append(jobs)
        yield from map(function, items)

    monkeypatch.setattr(Cluster, "check", lambda _: None)
    monkeypatch.setattr(variants, "map_in_processes", here)
    texts = [f"The {noun} see a small house ." for noun in ("man", "dog", "cat", "bird")]
    references = (Rewrite(text="The man sees the small house ."),)
    corpus = Corpus("x", tuple(Sample(text[4:7], text, references) for text in texts), "en")
    options = PerturbOptions(spacy_model=str(PIPELINE), variants=1)
    perturb(corpus, options=options, jobs=Cluster(resume=tmp_path))
    assert [cluster.resume for cluster in clusters] == [tmp_path / "words", tmp_path / "variants"]
    assert "spacy" in clusters[0].inputs["words"]
    assert clusters[0].inputs["pipeline"] == describe(PIPELINE).digest


def test_each_step_of_a_run_has_its_folder_and_all_inputs():
    step = jobs_of_step(Cluster(resume="parts"), "words", {"pipeline": "1"})
    step = jobs_of_step(step, inputs={"vocabulary": "2"})
    assert step.resume == Path("parts", "words")
    assert step.inputs == {"pipeline": "1", "vocabulary": "2"}
    assert jobs_of_step(Cluster(), "words").resume is None


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Three machines on this one, each with a CPU, so that there are two workers."""
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    cluster.connect()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.slow
def test_commands_write_the_same_bytes(nodes, monkeypatch, tmp_path: Path):
    monkeypatch.setattr(stored, "BLOCK", 9)
    monkeypatch.setattr(corrupt, "_BATCH", 9)
    monkeypatch.setattr(variants, "_AT_ONCE", 9)
    monkeypatch.setattr(prepare, "_BATCH", 9)
    zh = sample("zh", "corpus.jsonl")
    lines = {
        "score.json": f"score {zh} {zh.parent}/eager.txt {zh.parent}/fluent.txt --scheme zh-char",
        "edits.m2": f"edits {zh} --scheme zh-char",
        "pairs.jsonl": f"corrupt {zh} --seed 3",
        "corrected.txt": f"correct copying {zh}",
        "perturbed.jsonl": f"perturb {zh} --no-pos --tokens zh",
        "train.jsonl": f"data prepare --corpus mine={zh}",
    }
    parquet = tmp_path / "corpus.parquet"
    main(["convert", str(zh), "--to", "jsonl", "-o", str(parquet)])
    lines["pairs.parquet"] = f"corrupt {parquet} --seed 3"
    for name, line in lines.items():
        workers = "2" if name == "score.json" else "1"
        ray = f"--engine ray --address {nodes.address} --jobs {workers}"
        for engine in ("--jobs 1", ray):
            output = tmp_path / engine.split()[1] / name
            output.parent.mkdir(exist_ok=True)
            main([*line.split(), *engine.split(), "-o", str(output)])
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "1" / name).read_bytes()


@pytest.mark.slow
def test_a_command_goes_on_from_its_parts_and_refuses_other_options(
    nodes, monkeypatch, tmp_path: Path, capsys
):
    monkeypatch.setattr(stored, "BLOCK", 20)
    zh, folder = sample("zh", "corpus.jsonl"), tmp_path / "parts"
    line = (
        f"score {zh} {zh.parent}/eager.txt + {zh} {zh.parent}/fluent.txt --scheme zh-char "
        f"--engine ray --address {nodes.address} --resume {folder}"
    ).split()
    states = []
    for name in ("first.json", "second.json"):
        main([*line, "-o", str(tmp_path / name)])
        states.append({path: path.stat().st_mtime_ns for path in folder.rglob("*.part")})
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()
    assert states[0] == states[1]
    assert {path.relative_to(folder).parts[0] for path in states[0]} == {"0", "1"}
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main([*line, "--metric", "cherrant,gleu"])
    assert "other options" in capsys.readouterr().err


def logged(log: Path, number: int) -> str:
    """An item that says in a file that it is done, and takes its time."""
    return (
        f"(__import__('time').sleep(.2), open({str(log)!r}, 'a').write('{number}\\n'), {number})[2]"
    )


def wait_for(happened: Callable[[], bool]) -> None:
    for _ in range(600):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen within a minute")


@pytest.mark.slow
def test_a_run_whose_driver_and_machine_are_killed_loses_and_doubles_nothing(nodes, tmp_path: Path):
    log, folder = tmp_path / "log", tmp_path / "parts"
    items = [logged(log, number) for number in range(40)]
    words = [sys.executable, "-c", RUN, nodes.address, str(folder), *items]
    with subprocess.Popen(words) as driver:
        wait_for(lambda: len(list(folder.rglob("*.part"))) >= 8)
        driver.kill()
    finished = {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.part")}

    cluster = Cluster(nodes.address, resume=folder)
    results = map_in_processes(eval, items, cluster, str)
    for number in range(40):
        assert next(results) == number
        if number == 20:
            nodes.remove_node(max(nodes.worker_nodes, key=id), allow_graceful=False)
    assert next(results, None) is None

    stored_parts = {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.part")}
    assert len(stored_parts) == 40
    assert finished.items() <= stored_parts.items()
    times = Counter(log.read_text().split())
    assert len(times) == 40
    assert all(times[str(int(name.removesuffix(".part")))] == 1 for name in finished)
    assert list(map_in_processes(eval, items, cluster, str)) == list(range(40))
    assert Counter(log.read_text().split()) == times

    with pytest.raises(UsageError, match="another input"):
        list(map_in_processes(eval, items[1:], cluster, str))
    with pytest.raises(UsageError, match="other options"):
        list(map_in_processes(str, items, cluster, str))
    part = folder / "00000" / "00000003.part"
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(GecbenchError, match=r"3\.part: is damaged"):
        list(map_in_processes(eval, items, cluster, str))


@pytest.mark.slow
def test_failures_come_as_they_were_raised_and_deaths_end_the_run(nodes):
    cluster = Cluster(nodes.address, 1)
    fails = (
        "(_ for _ in ()).throw(__import__('gecbench.core.errors').core.errors.FormatError('bad'))"
    )
    with pytest.raises(GecbenchError, match=r"^bad$"):
        list(map_in_processes(eval, ["1", fails, "2"], cluster, str))
    with pytest.raises(ZeroDivisionError):
        list(map_in_processes(eval, ["1 / 0"], cluster, str))
    with pytest.raises(ResourceError, match="_exit"):
        list(map_in_processes(eval, ["__import__('os')._exit(1)"], cluster, str))
    with pytest.raises(UsageError, match="at most"):
        list(map_in_processes(eval, ["1"], Cluster(nodes.address, 9), str))
    with pytest.raises(ResourceError, match="0 GPUs"):
        list(map_in_processes(eval, ["1"], Cluster(nodes.address, gpus=0.5), str))

"""The job files for bring-up have the command lines of acceptance, from the same file.

Acceptance runs them one node or one pair at a time and compares with floors, a job file runs them
for a user, over sizes and node counts of the user's choice. Both take the arguments from
`benchmarks.json`, so a figure of one means the same in the other.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

import pytest
from clusterwright_acceptance import benchmarks, cluster_run, lustre, running
from clusterwright_acceptance.expected import FileSystem
from clusterwright_acceptance.launcher import PMIX_FENCE, Launched

from clusterwright.job_templates import benchmarks as of_jobs
from clusterwright.job_templates.registry import template_named
from tests.job_templates.made import rendered, required_settings
from tests.nodes.acceptance.fake_node import EXPECTED, Node


class Recorder:
    """A launcher that starts nothing and keeps the command."""

    def __init__(self) -> None:
        self.argv: list[str] = []

    def run(self, _nodes: object, argv: Sequence[str], **_: object) -> Launched:
        if "counters" not in argv:
            self.argv = list(argv)
        return Launched(None, "", "")


def of_job(text: str, start: str) -> list[str]:
    """The words of the command in a job file that starts with `start`."""
    command = text[text.index(start) + len(start) :].replace("\\\n", " ")
    end = min(command.index(stop) for stop in ("||", "'\n", ")\n") if stop in command)
    return shlex.split(command[:end])


def have(words: Sequence[str], line: Sequence[str]) -> bool:
    """Whether the words contain the line, without a word between."""
    places = range(len(words) - len(line) + 1)
    return any(list(words[place : place + len(line)]) == list(line) for place in places)


def test_both_have_the_same_file() -> None:
    names = {"smallest": 1, "largest": 2, "ranks": 3, "report": "r", "device": "d"}
    names |= {"way": "read", "gib": 4, "seconds": 5}
    for program in benchmarks.table():
        line = benchmarks.arguments(program, **names)
        assert shlex.split(of_jobs.arguments(program, **names).replace("\\\n", " ")) == line


def test_all_reduce(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    line = benchmarks.arguments("all_reduce_perf", smallest="1024M", largest="1024M")
    cluster_run.measure_allreduce(["n1", "n2"], EXPECTED, recorder, (1024,), 60.0, {})
    assert have(recorder.argv, line)
    text = rendered("nccl-tests", partition="gpu", smallest="1024M", largest="1024M")
    assert of_job(text, '"$PROGRAMS/${collective}_perf"') == line

    seen = _recorded(monkeypatch)
    with pytest.raises(running.Unreadable):
        node.look("nvlink-allreduce")
    line = benchmarks.arguments("all_reduce_perf", smallest="16384M", largest="16384M", devices=8)
    assert have(seen[0], line)


def test_nccom(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _recorded(monkeypatch)
    node.expect(instance_type="trn1.32xlarge", kind="neuron")
    with pytest.raises(running.Unreadable):
        node.look("neuron-allreduce")
    sizes = {"smallest": 2**27, "largest": 2**27}
    report = seen[0][-1]
    assert have(seen[0], benchmarks.arguments("nccom-test", ranks=32, report=report, **sizes))
    text = rendered("nccom-test", group="trainium", smallest=str(2**27), largest=str(2**27))
    words = of_job(text, '"$count" "$collective"')
    ranks, report = "$((RANKS_OF_A_NODE * count))", "$RUN_PATH/$collective-$count-nodes.json"
    assert have(words, benchmarks.arguments("nccom-test", ranks=ranks, report=report, **sizes))


def test_fio(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    words = of_job(rendered("fio", partition="gpu", gib="8", processes="1"), 'exec "$1"')
    assert have(words, benchmarks.arguments("fio", way="$3", gib=8, seconds=30))
    seen: list[list[str]] = []

    def output(_probe: object, argv: list[str], _seconds: float) -> str:
        seen.append(argv)
        return json.dumps({"jobs": [{"write": {"bw_bytes": 1}, "read": {"bw_bytes": 1}}]})

    monkeypatch.setattr(running, "program", lambda _probe, _expected, name: name)
    monkeypatch.setattr(running, "output", output)
    node.expect(scratch_path="/scratch")
    node.look("nvme-throughput")
    for argv, way in zip(seen, ("write", "read"), strict=True):
        assert have(argv, benchmarks.arguments("fio", way=way, gib=8, seconds=10))

    recorder = Recorder()
    fsx = FileSystem(mount_path="/fsx", dns_name="fs-1", mount_name="fsx")
    node.expect(lustre=(fsx,))
    lustre.write(["n1"], node.expected, recorder)
    line = benchmarks.arguments("fio", way="write", gib=16, seconds=20)
    assert have(shlex.split(recorder.argv[-1]), line)


def test_ping_pong(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _recorded(monkeypatch)
    with pytest.raises(running.Unreadable):
        node.look("efa-loopback")
    assert have(seen[0], benchmarks.arguments("fi_pingpong", device="rdmap0s0"))
    text = rendered("efa-pairs", partition="gpu")
    line = " ".join(benchmarks.arguments("fi_pingpong", device="DEVICE"))
    assert f"--arguments='{line}'" in text


@pytest.mark.parametrize("job", ["nccl-tests", "hpl", "hpcc", "ior"])
def test_steps_of_mpi_have_the_fence_of_acceptance(job: str) -> None:
    template = template_named(job)
    image = {"image": "/fsx/images/hpc.sqsh"} if template.image == "required" else {}
    text = rendered(job, partition="gpu", **required_settings(template), **image)
    assert text.index(f"export {'='.join(PMIX_FENCE)}\n") < text.index("--mpi=pmix")


def test_places_and_defaults() -> None:
    defaults = {name: row["defaults"] for name, row in benchmarks.table().items()}
    for job, setting, value in (
        ("nccl-tests", "programs", "/opt/nccl-tests/build"),
        ("nccom-test", "program", running.PLACES["nccom-test"][0]),
        ("efa-pairs", "program", running.PLACES["fi_pingpong"][0]),
        ("nccl-tests", "iterations", defaults["all_reduce_perf"]["iterations"]),
        ("nccom-test", "iterations", defaults["nccom-test"]["iterations"]),
        ("fio", "block", defaults["fio"]["block"]),
    ):
        (found,) = (one for one in template_named(job).settings if one.name == setting)
        assert found.default == value


def _recorded(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of a check, none of which runs."""
    seen: list[list[str]] = []

    def run(_probe: object, argv: list[str], _seconds: float, *_: object) -> Any:
        seen.append(argv)
        raise running.Unreadable("recorded")

    monkeypatch.setattr(running, "program", lambda _probe, _expected, name: name)
    monkeypatch.setattr(running, "run", run)
    return seen

"""The job files for bring-up measure as acceptance does: the same programs with the same options.

Acceptance runs them one node or one pair at a time and compares with floors, a job file runs them
for a user, over sizes and node counts of the user's choice. A figure of one must mean the same in
the other, so what decides it may not differ.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

import pytest
from clusterwright_acceptance import cluster_run, running
from clusterwright_acceptance.expected import FileSystem
from clusterwright_acceptance.launcher import Launched

from tests.job_templates.made import rendered
from tests.nodes.acceptance.fake_node import EXPECTED, Node

NCCL = {"-f": "2", "-g": "1", "-n": "20", "-w": "5", "-c": "1"}
NCCOM = {"-n": "20", "-w": "5", "-d": "fp32"}
FIO = {
    "--bs": "1M",
    "--direct": "1",
    "--ioengine": "libaio",
    "--iodepth": "32",
    "--time_based": "",
}


class Recorder:
    """A launcher that starts nothing and keeps the command."""

    def __init__(self) -> None:
        self.argv: list[str] = []

    def run(self, _nodes: object, argv: Sequence[str], **_: object) -> Launched:
        if "counters" not in argv:
            self.argv = list(argv)
        return Launched(None, "", "")


def options(words: Sequence[str]) -> dict[str, str]:
    """Value by option: `-f 2` and `--bs=1M`; the value of an option without one is empty."""
    found: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name.startswith("--"):
            found[name] = value if equals else ""
        elif name.startswith("-"):
            found[name] = following
    return found


def of_job(text: str, start: str) -> dict[str, str]:
    """The options of the command in a job file that starts with `start`."""
    command = text[text.index(start) + len(start) :].replace("\\\n", " ")
    end = min(command.index(stop) for stop in ("||", "'\n", ")\n") if stop in command)
    return options(shlex.split(command[:end]))


def test_all_reduce() -> None:
    recorder = Recorder()
    cluster_run.measure_allreduce(["n1", "n2"], EXPECTED, recorder, (1024,), 60.0, {})
    assert options(recorder.argv).items() >= NCCL.items()
    text = rendered("nccl-tests", partition="gpu")
    assert of_job(text, '"$PROGRAMS/${collective}_perf"').items() >= NCCL.items()


def test_nccom(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def run(_probe: object, argv: list[str], _seconds: float) -> Any:
        seen.append(argv)
        raise running.Unreadable("recorded")

    monkeypatch.setattr(running, "program", lambda _probe, _expected, name: name)
    monkeypatch.setattr(running, "run", run)
    node.expect(instance_type="trn1.32xlarge", kind="neuron")
    with pytest.raises(running.Unreadable):
        node.look("neuron-allreduce")
    assert options(seen[0]).items() >= NCCOM.items()
    text = rendered("nccom-test", group="trainium")
    assert of_job(text, '"$count" "$collective"').items() >= NCCOM.items()


def test_fio(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of_job(rendered("fio", partition="gpu"), 'exec "$1"').items() >= FIO.items()
    seen: list[list[str]] = []

    def output(_probe: object, argv: list[str], _seconds: float) -> str:
        seen.append(argv)
        return json.dumps({"jobs": [{"write": {"bw_bytes": 1}, "read": {"bw_bytes": 1}}]})

    monkeypatch.setattr(running, "program", lambda _probe, _expected, name: name)
    monkeypatch.setattr(running, "output", output)
    node.expect(scratch_path="/scratch")
    node.look("nvme-throughput")
    assert [options(argv).items() >= FIO.items() for argv in seen] == [True, True]

    recorder = Recorder()
    lustre = FileSystem(mount_path="/fsx", dns_name="fs-1", mount_name="fsx")
    node.expect(lustre=(lustre,))
    cluster_run.lustre_write(["n1"], node.expected, recorder)
    assert options(shlex.split(recorder.argv[-1])).items() >= FIO.items()

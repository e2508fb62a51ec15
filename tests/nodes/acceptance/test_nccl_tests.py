"""The all-reduce of nodes with GPUs: the command, and what its end says."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import nccl_output, running
from clusterwright_acceptance.launcher import Launched
from clusterwright_acceptance.nccl_tests import NcclTests

from tests.nodes.acceptance.fake_node import EXPECTED

OWN = NcclTests()


class Pods:
    """A launcher without MPI."""

    def allreduce_argv(self, sizes_mib: Any, processes: int) -> list[str]:
        return ["python3", *map(str, sizes_mib), str(processes)]

    def run(self, *_: object, **__: object) -> Launched:
        raise AssertionError


class Slurm:
    """A launcher with MPI."""

    def run(self, *_: object, **__: object) -> Launched:
        raise AssertionError


def test_program_is_found_in_its_usual_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "all_reduce_perf"
    place.write_text('#!/bin/sh\necho "$@"\n')
    place.chmod(0o755)
    monkeypatch.setattr(running, "PLACES", {"all_reduce_perf": ("/none", str(place))})
    words = OWN.command(EXPECTED, Slurm(), 2, (OWN.pair_mib,)).argv

    def printed() -> tuple[int, str]:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert printed() == (0, "-b 8192M -e 8192M -f 2 -g 1 -c 1 -n 20 -w 5\n")
    place.unlink()
    assert printed() == (127, "all_reduce_perf: No such file or directory\n")


def test_pods_start_one_program_of_a_node() -> None:
    with_mpi = OWN.command(EXPECTED, Slurm(), 2, (128, 256))
    assert (with_mpi.program, with_mpi.tasks_per_node) == ("all_reduce_perf", 8)
    without = OWN.command(EXPECTED, Pods(), 2, (128, 256))
    assert (without.program, without.tasks_per_node) == ("PyTorch", 1)
    assert without.argv == ["python3", "128", "256", "8"]
    assert without.env["NCCL_DEBUG"] == "INFO"


def test_a_program_that_is_missing_on_a_node_is_said() -> None:
    command = OWN.command(EXPECTED, Slurm(), 2, (128,))
    missing = "1: all_reduce_perf: No such file or directory"
    said = "all_reduce_perf is not on these nodes"
    assert OWN.why_not_run(["n0"], command, Launched(127, "", "")) == said
    assert OWN.why_not_run(["n0"], command, Launched(2, "", missing)) == said
    assert OWN.why_not_run(["n0"], command, Launched(None, "", missing)) is None
    assert OWN.why_not_run(["n0"], command, Launched(2, "", "help.txt: No such file")) is None


def test_an_interface_that_sent_nothing_is_said() -> None:
    assert OWN.why_idle("n1", ["rdmap1s0"], 32) == "n1: rdmap1s0 sent nothing (1 of 32)"
    assert OWN.why_idle("n1", [], 32) is None


def test_a_run_without_an_end_is_no_result() -> None:
    with pytest.raises(nccl_output.BadOutput):
        OWN.read(Launched(0, "0: # nThread 1", ""), (128,))

"""Writing to Lustre from all nodes at once: the sum, and the nodes that are slow or fail."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import lustre
from clusterwright_acceptance.launcher import Launched
from clusterwright_acceptance.outcome import Together

from tests.nodes.acceptance.fake_node import EXPECTED


def terse(node: str, kib: float) -> str:
    return ";".join(["3", "fio-3.39", node, *["0"] * 44, str(kib), "0"])


def names(count: int) -> list[str]:
    return [f"n{number}" for number in range(count)]


class Answer:
    """A launcher; srun numbers the tasks in an order of its own."""

    def __init__(self, lines: Sequence[str], code: int | None = 0, lost: Sequence[str] = ()):
        text = "\n".join(f"{number}: {line}" for number, line in enumerate(reversed(lines)))
        self.launched = Launched(code, text, "", tuple(lost))
        self.argv: Sequence[str] = ()

    def run(self, _: object, argv: Sequence[str], **__: object) -> Launched:
        self.argv = argv
        return self.launched


def written(nodes: Sequence[str], lines: Sequence[str], **how: Any) -> Together:
    (found,) = lustre.write(nodes, EXPECTED, Answer(lines, **how)).values()
    return found


def bad(found: Together) -> dict[str, tuple[str, str, str]]:
    return {name: (one.verdict, one.action, one.reason) for name, one in found.bad.items()}


@pytest.mark.parametrize(
    ("kib", "verdict"), [((9e6, 9e6), "pass"), ((5e6, 5e6), "fail"), ((9e6, 9e4), "fail")]
)
def test_the_rates_of_all_nodes_are_added(kib: Sequence[float], verdict: str) -> None:
    found = written(names(2), [terse(f"n{index}", one) for index, one in enumerate(kib)])
    assert (found.outcome.verdict, found.outcome.value) == (
        verdict,
        pytest.approx(sum(kib) * 1024 / 1e6),
    )
    assert found.outcome.floor == pytest.approx(0.8 * 500 * 37.5)
    # Two nodes say nothing about each other.
    assert found.bad == {}


def test_a_slow_node_is_named_although_the_sum_is_good() -> None:
    rates = dict.fromkeys(names(64), 1000000.0) | {"n7": 1e4}
    found = written(names(64), [terse(name, rate) for name, rate in rates.items()])
    assert found.outcome.verdict == "pass"
    reason = "/fsx: 10.24 MB/s, the median of 64 nodes is 1024"
    assert bad(found) == {"n7": ("fail", "check", reason)}
    assert found.bad["n7"].source is not None
    assert "3 deviations and 50 % below it fail" in found.bad["n7"].source


def test_nodes_that_share_servers_are_not_bad() -> None:
    """Where files are on the same servers, such as one of five on one of four."""
    rates = dict(zip(names(5), (1e6, 1e6, 1e6, 0.55e6, 0.55e6), strict=True))
    found = written(names(5), [terse(name, rate) for name, rate in rates.items()])
    assert found.bad == {}


def test_a_node_that_hangs_is_named() -> None:
    lines = [terse(name, 9e6) for name in ("n0", "n1", "n3")]
    found = written(names(4), lines, code=None)
    text = "fio did not end within 150 s"
    assert (found.outcome.verdict, found.outcome.reason) == ("hung", f"{text} on n2")
    assert bad(found) == {"n2": ("hung", "reboot", f"/fsx: {text}")}


def test_a_file_system_that_hangs_is_no_ones_fault() -> None:
    found = written(names(4), [], code=None)
    assert (found.outcome.verdict, found.outcome.reason) == (
        "hung",
        "fio did not end within 150 s",
    )
    assert found.bad == {}
    found = written(names(4), [terse("n0", 9e6)], code=None)
    assert found.outcome.reason.endswith(" on n1, n2, n3")
    assert found.bad == {}


def test_a_node_that_fails_or_stops_is_named() -> None:
    lines = [terse(name, 9e6) for name in ("n0", "n1", "n3", "n4")]
    error = "mkdir: cannot create directory: Read-only file system"
    found = written(names(5), [*lines, f"n2 exited 1: {error}"])
    assert (found.outcome.verdict, found.outcome.value) == ("unknown", None)
    assert found.outcome.reason == f"fio reported from 4 of 5 nodes, not from n2: {error}"
    assert bad(found) == {"n2": ("fail", "check", f"/fsx: fio exited with 1: {error}")}
    found = written(names(5), [], code=1, lost=["n2"])
    assert found.outcome.reason == "fio reported from 0 of 5 nodes"
    assert bad(found) == {"n2": ("fail", "check", "/fsx: the node stopped")}


def test_a_failure_of_most_nodes_is_no_nodes_fault() -> None:
    full = [f"n{number} exited 1: fio: No space left on device" for number in range(3)]
    found = written(names(4), [*full, terse("n3", 9e6)])
    assert found.outcome.reason == (
        "fio reported from 1 of 4 nodes, not from n0, n1, n2: fio: No space left on device"
    )
    assert found.bad == {}


def test_a_missing_program_rejects_no_node() -> None:
    lines = [terse("n0", 9e6), terse("n1", 9e6), "n2 exited 127: sh: 1: fio: not found"]
    found = written(names(3), lines)
    assert (found.outcome.verdict, found.bad) == ("unknown", {})
    assert found.outcome.reason.endswith("not from n2: sh: 1: fio: not found")


FIO = """#!/bin/sh
for word in "$@"; do
  case $word in --name=*) name=${word#*=};; --filename=*) file=${word#*=};; esac
done
printf x >"$file"; echo "fio: a warning" >&2
printf "3;fio-3.39;$name"; i=3; while [ $i -lt 60 ]; do printf ";2000"; i=$((i + 1)); done; echo
exit "${CODE:-0}"
"""


@pytest.mark.parametrize(("code", "exists"), [(0, True), (5, True), (0, False)])
def test_what_each_node_prints(tmp_path: Path, code: int, exists: bool) -> None:
    """Never a code of its own, with which srun would end the other nodes."""
    if exists:
        (tmp_path / "fio").write_text(FIO)
        (tmp_path / "fio").chmod(0o755)
    (mount,) = EXPECTED.lustre
    expected = dataclasses.replace(
        EXPECTED, lustre=(dataclasses.replace(mount, mount_path=str(tmp_path / "fsx")),)
    )
    answer = Answer([])
    lustre.write(["n0"], expected, answer)
    path = f"{tmp_path}:/usr/bin:/bin"
    env = {"SLURMD_NODENAME": "n0", "PATH": path, "CODE": str(code)}
    done = subprocess.run(list(answer.argv), env=env, capture_output=True, text=True, check=True)
    (found,) = lustre.write(["n0"], expected, Answer(done.stdout.splitlines())).values()
    assert list((tmp_path / "fsx/.clusterwright-acceptance").iterdir()) == []
    if code:
        assert found.outcome.reason == "fio reported from 0 of 1 nodes: fio: a warning"
    elif exists:
        assert found.outcome.value == pytest.approx(2.048)
    else:
        assert "not found" in found.outcome.reason

"""The bench of acceptance with real Slurm: it measures, and an unaccepted node is an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks import accepted_nodes


@pytest.mark.slow
@pytest.mark.slurm
@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="namespaces need root on Linux"
)
def test_real_nodes_are_accepted_beside_their_checks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepted_nodes, "NODES", 2)
    started = []
    monkeypatch.setattr(accepted_nodes.atexit, "register", started.append)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (found,) = accepted_nodes.accepted_nodes_comparisons(tmp_path)
    try:
        assert found.name == "acceptance, level quick, 2 emulated nodes with real Slurm"
        assert 0.0 < found.beside() < 60.0
        assert 0.0 < found.ours() < 60.0
    finally:
        for close in started:
            close()


class Nodes:
    """A cluster of which a node fails."""

    nodes = ("n1", "n2")

    def accept(self, *_: object) -> tuple[int, dict[str, object]]:
        rows = [{"name": name, "verdict": "accepted", "reason": ""} for name in self.nodes]
        return 1, {"nodes": [{**rows[0], "verdict": "rejected", "reason": "cpus: 1"}, rows[1]]}


def test_a_node_that_is_not_accepted_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=r"exit code 1; not accepted: \{'n1': 'cpus: 1'\}"):
        accepted_nodes._accepted(Nodes(), "bench-0")

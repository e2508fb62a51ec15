"""EFA pairs: the files that the job writes, and who is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clusterwright.cluster_spec import repository_root
from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.made import example, rendered
from tools.lint.files import ROOT

_SRUN = """#!/bin/bash
if [[ "$*" == *node-3* ]]; then
  echo "INTERFACE rdmap0"; echo "FAILED rdmap0 1"; exit 1
fi
echo "INTERFACE rdmap0"
echo "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec"
echo "64      10      =10      1.2k        0.00s      1.55      41.20       0.02"
echo "1m      10      =10      20m         0.02s   1054.43     994.45       0.00"
"""


def test_the_rounds_are_those_of_acceptance() -> None:
    text = rendered("efa-pairs", partition="gpu")
    rounds = (ROOT / "lifecycle_scripts/clusterwright_acceptance/pairs.py").read_text()
    assert rounds.rstrip() in text
    assert "#SBATCH --nodes=7\n" in text
    assert "--pingpong=/opt/amazon/efa/bin/fi_pingpong --seconds=20" in text
    assert "--arguments='-e rdm -p efa -d DEVICE-rdm'" in text


def test_a_bad_node_is_named(tmp_path: Path) -> None:
    (tmp_path / "fsx").mkdir()
    node.command(tmp_path, "srun", _SRUN)
    done = node.run(rendered("efa-pairs", nodes="4"), tmp_path, nodes=4)
    assert done.returncode == 1, done.stderr
    assert "round 1: node-1 node-2 good, 1054 MB/s" in done.stdout
    assert "node node-3: bad with" in done.stdout
    assert "3 of 4 nodes are good" in done.stdout
    report = json.loads((tmp_path / "fsx/runs/efa-pairs/77/report.json").read_text())
    assert report["good"] == ["node-1", "node-2", "node-4"]
    assert [one["names"] for one in report["suspects"]] == [["node-3"]]


def test_refused() -> None:
    with pytest.raises(RefusedError, match="at least two nodes"):
        rendered("efa-pairs", nodes="1")
    with pytest.raises(RefusedError, match="it needs two nodes"):
        rendered("efa-pairs", example("configs/examples/trn2-1.yaml"))
    with pytest.raises(RefusedError, match=r"c5\.4xlarge has no EFA interfaces"):
        rendered("efa-pairs", partition="cpu")


def test_an_installation_without_the_node_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_root, "root", lambda: None)
    with pytest.raises(RefusedError, match="is not in this installation"):
        rendered("efa-pairs")

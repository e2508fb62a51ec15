"""What a job's log proves about its software."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import clusterwright
from tests.support.rich_specs import MINIMAL, changed

EFA_LOG = """\
NCCL version 2.27.5+cuda12.9
a:1:1 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.21.1
a:1:1 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found {} nics)
a:1:1 [0] NCCL INFO Using network AWS Libfabric
"""
GROUP = {"name": "small", "role": "compute", "instance_type": "g5.xlarge", "count": 1}


def diagnosed(folder: Path, log: str, **changes: Any) -> tuple[int, list[dict[str, Any]]]:
    spec, file = folder / "test.yaml", folder / "slurm-7.out"
    spec.write_text(json.dumps(changed(MINIMAL, **changes)))
    file.write_text(log)
    words = ("diagnose", str(spec), "--offline", "--log", str(file), "--format", "json")
    answer = clusterwright(*words)
    return answer.exit_code, json.loads(answer.out)["findings"]


def test_versions_of_the_log_are_compared_with_the_spec(tmp_path: Path) -> None:
    code, (finding,) = diagnosed(tmp_path, EFA_LOG.format(32), software={"nccl": "2.26"})
    assert code == 1
    assert "NCCL is 2.27.5, declared is 2.26" in finding["cause"]
    assert (finding["signature"], finding["confidence"]) == ("job-software", "certain")
    assert finding["resources"] == ["workers"]
    assert "NCCL version 2.27.5+cuda12.9" in json.dumps(finding["evidence"])


def test_job_with_the_declared_software_over_efa_has_no_finding(tmp_path: Path) -> None:
    assert diagnosed(tmp_path, EFA_LOG.format(32), software={"nccl": "2.27"}) == (0, [])


def test_missing_interfaces_depend_on_the_group(tmp_path: Path) -> None:
    log = EFA_LOG.format(4)
    _, (finding,) = diagnosed(tmp_path, log)
    assert "4 of 32 interfaces" in finding["cause"]
    assert finding["confidence"] == "certain"
    _, (finding,) = diagnosed(tmp_path, log, compute__2=GROUP)
    assert (finding["confidence"], finding["resources"]) == ("likely", ["workers"])


@pytest.mark.parametrize(
    "log",
    [
        "a:1:1 [0] NCCL INFO Using network Socket\n",
        "a:1:1 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net-aws-ofi.so\n"
        "a:1:1 [0] NCCL INFO Initialized NET plugin Socket\n",
    ],
)
def test_tcp_is_one_finding(tmp_path: Path, log: str) -> None:
    _, found = diagnosed(tmp_path, log)
    assert len(found) == 1
    assert "EFA" in found[0]["cause"]


def test_log_of_another_program_proves_nothing(tmp_path: Path) -> None:
    assert diagnosed(tmp_path, "step: 1 loss: 2.0\n") == (0, [])

"""The scenarios of training jobs: they need local disks, checkpoints, Spot nodes and users."""

from __future__ import annotations

import shutil

import pytest

from clusterwright_rehearsal.scenarios import training
from packages.rehearsal.tests.conftest import ROOT, Rehearse

_SCENARIOS = (
    "accounting-secret-denied",
    "checkpoint-resume",
    "checkpoint-shards",
    "drain-killed",
    "emergency-checkpoint",
    "spot-notice",
    "race",
)
_SPEC = """
environment: training
account: "111122223333"
protection: destroy
compute:
  - {name: controller, role: controller, instance_type: m5.2xlarge, count: 1}
  - {name: login, role: login, instance_type: m5.2xlarge, count: 1}
  - {name: workers, role: compute, instance_type: p5.4xlarge, count: 2,
     scratch: {mount_path: /opt/dlami/nvme}}
  - {name: spot, role: compute, instance_type: p5.4xlarge, count: 1, capacity: {kind: spot},
     scratch: {mount_path: /opt/dlami/nvme}}
storage:
  lustre:
    - {mount_path: /fsx, capacity_gib: 1200, throughput_mbps_per_tib: 250}
  home: {kind: openzfs, capacity_gib: 128, backup_retention_days: 0}
  checkpoint_path: /fsx/checkpoints
slurm:
  accounting: {kind: rds}
  partitions:
    - {name: training, groups: [workers]}
    - {name: spot, groups: [spot]}
  user_groups:
    - {name: research, gid: 20000}
  users:
    - name: ada
      uid: 20001
      groups: [research]
      ssh_public_keys:
        - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExample ada@acme
    - {name: grace, uid: 20002, groups: [research]}
"""


_FIVE_NODES = """
environment: sharded
account: "111122223333"
protection: destroy
compute:
  - {name: controller, role: controller, instance_type: m5.2xlarge, count: 1}
  - {name: workers, role: compute, instance_type: p5.4xlarge, count: 5}
storage:
  lustre:
    - {mount_path: /fsx, capacity_gib: 1200, throughput_mbps_per_tib: 250}
  home: {kind: openzfs, capacity_gib: 128, backup_retention_days: 0}
  checkpoint_path: /fsx/checkpoints
slurm:
  accounting: {kind: rds}
"""


@pytest.fixture(scope="session")
def training_config(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("training")
    shutil.copy(ROOT / "configs/base.yaml", folder)
    (folder / "training.yaml").write_text(_SPEC)
    return str(folder / "training.yaml")


@pytest.mark.slow
@pytest.mark.slurm
@pytest.mark.parametrize("name", _SCENARIOS)
def test_training_cluster_keeps_its_promises(
    rehearsed: Rehearse, training_config: str, name: str
) -> None:
    words = [word for each in _SCENARIOS for word in ("--scenario", each)]
    answer = rehearsed(training_config, *words)
    checked = [p for p in answer["promises"] if p["scenario"] in (name, "deployment")]
    assert [p for p in checked if p["status"] != "held"] == []
    assert name in {p["scenario"] for p in answer["promises"]}, answer["skipped"]


@pytest.mark.slow
@pytest.mark.slurm
def test_pytorch_trains_through_losses(
    rehearsed: Rehearse, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With a fifth node, the job need not wait for the replacement of the lost one."""
    folder = tmp_path_factory.mktemp("sharded")
    shutil.copy(ROOT / "configs/base.yaml", folder)
    (folder / "sharded.yaml").write_text(_FIVE_NODES)
    words = ("--slurm", "forky", "--scenario", "training")
    answer = rehearsed(str(folder / "sharded.yaml"), *words)
    promises = {p["id"]: p["status"] for p in answer["promises"] if p["scenario"] == "training"}
    assert promises == {f"training.{name}": "held" for name in training.PROMISES}, answer

"""Booted clusters, shared by all tests of a session: each is one real `clusterwright rehearse`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal.prerequisites import nodes_unavailable

ROOT = Path(__file__).resolve().parents[3]
STATE = Path("/var/lib/clusterwright")
Rehearse = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def rehearsed() -> Rehearse:
    """Runs the command and gives its JSON; the same words a second time give the same answer.

    A command that ended without an answer is not repeated for each test either.
    """
    reason = nodes_unavailable()
    if reason is not None:
        pytest.skip(reason)
    answers: dict[tuple[str, ...], dict[str, Any] | AssertionError] = {}

    def run(*words: str) -> dict[str, Any]:
        if words not in answers:
            try:
                answers[words] = _run(words)
            except AssertionError as error:
                answers[words] = error
        answer = answers[words]
        if isinstance(answer, AssertionError):
            raise answer
        return answer

    return run


@pytest.fixture(scope="session")
def scripted_config(tmp_path_factory: pytest.TempPathFactory) -> str:
    """configs/dev.yaml in the scripted configuration, with a bucket, a custom step, and metrics of
    slurmctld, which Slurm 24.11 does not have.
    """
    folder = tmp_path_factory.mktemp("scripted")
    for name in ("base.yaml", "dev.yaml"):
        text = (ROOT / "configs" / name).read_text()
        bucket = "storage:\n  buckets: [{name: clusterwright-dev-results, create: true}]\n"
        text = text.replace("\nstorage:\n", f"\n{bucket}")
        metrics = "observability:\n  metrics: {slurm_openmetrics: true}\n"
        (folder / name).write_text(text.replace("\nobservability:\n", f"\n{metrics}"))
    with (folder / "dev.yaml").open("a") as file:
        file.write(
            "\nslurm:\n  configuration: scripted\n"
            "lifecycle:\n  steps: [configs/examples/steps/memlock.py]\n"
        )
    return str(folder / "dev.yaml")


@pytest.fixture(scope="session")
def parallelcluster_config(tmp_path_factory: pytest.TempPathFactory) -> str:
    """configs/dev-parallelcluster.yaml with accounting, people, their limits and a topology."""
    folder = tmp_path_factory.mktemp("parallelcluster")
    (folder / "base.yaml").write_text((ROOT / "configs" / "base.yaml").read_text())
    text = (ROOT / "configs" / "dev-parallelcluster.yaml").read_text()
    assert "accounting: {kind: none}" in text
    path = folder / "dev-parallelcluster.yaml"
    assert "instance_type: p5.4xlarge " in text
    # A type that EC2 has a topology of.
    text = text.replace("instance_type: p5.4xlarge ", "instance_type: g6e.8xlarge ")
    path.write_text(text.replace("accounting: {kind: none}", _PEOPLE))
    return str(path)


@pytest.fixture(scope="session")
def pcs_config(tmp_path_factory: pytest.TempPathFactory) -> str:
    """configs/dev-pcs.yaml with EFA on a larger file system."""
    folder = tmp_path_factory.mktemp("pcs")
    (folder / "base.yaml").write_text((ROOT / "configs" / "base.yaml").read_text())
    text = (ROOT / "configs" / "dev-pcs.yaml").read_text()
    small = "deployment_type: SCRATCH_2, capacity_gib: 1200"
    assert small in text
    large = "capacity_gib: 4800, throughput_mbps_per_tib: 1000, efa: true"
    path = folder / "dev-pcs.yaml"
    path.write_text(text.replace(small, f"deployment_type: PERSISTENT_2, {large}"))
    return str(path)


_PEOPLE = """accounting: {kind: rds}
  topology: tree
  qos:
    - {name: urgent, priority: 100, max_nodes_per_user: 1}
  accounts:
    - {name: research, fair_share: 10, max_nodes: 1}
  users:
    - name: ada
      uid: 5001
      slurm_account: research
      ssh_public_keys:
        - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExample ada
"""


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "clusterwright", "rehearse", *words]


def _run(words: tuple[str, ...]) -> dict[str, Any]:
    done = subprocess.run(
        command(*words, "--state-dir", str(STATE), "--format", "json"),
        cwd=ROOT,
        # The validation has its own tests, with every configuration (test_nag.py).
        env={**os.environ, "CDK_VALIDATION": "false"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, f"exit code {done.returncode}: {done.stderr[-3000:]}"
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["exit_code"] == done.returncode
    return answer

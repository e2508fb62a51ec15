"""The step that configures log shipping to CloudWatch."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node import cloudwatch_agent
from clusterwright_node.catalogue import load_steps

from tests.nodes.world import World

CTL = cloudwatch_agent.CTL
CONFIGURATION = "opt/clusterwright/etc/clusterwright-logs.json"


def rows(node: World) -> dict[str, dict[str, str]]:
    value = json.loads((node.root / CONFIGURATION).read_text())
    return {
        row["file_path"]: row for row in value["logs"]["logs_collected"]["files"]["collect_list"]
    }


@pytest.mark.parametrize(
    ("name", "daemon", "other"),
    [
        ("workers-1", "slurmd", "slurmctld"),
        ("controller-1", "slurmctld", "slurmd"),
        ("login-1", "sackd", "slurmd"),
    ],
)
def test_agent_is_configured_with_files_and_destination(
    world: Callable[..., World], name: str, daemon: str, other: str
) -> None:
    node = world(name)
    run = node.run()
    assert run.statuses()["log_shipping"] == "applied"
    found = rows(node)
    assert f"/var/log/slurm/{daemon}.log" in found
    assert f"/var/log/slurm/{other}.log" not in found
    ours = found["/var/log/clusterwright/health.jsonl"]
    assert ours["log_group_name"] == "/aws/sagemaker/Clusters/prod/abcdefghijkl"
    group, number = name.split("-")
    assert ours["log_stream_name"].startswith(f"Clusterwright/{group}/i-"), number
    assert ours["log_stream_name"].endswith("/health")
    told = [argv for argv in run.machine.ran if argv[0] == CTL and "logs" in argv[-1]]
    assert told == [
        (CTL, "-a", "append-config", "-m", "ec2", "-s", "-c", f"file:/{CONFIGURATION}")
    ]
    again = node.run()
    assert again.statuses()["log_shipping"] == "unchanged"
    assert not any(argv[0] == CTL for argv in again.machine.ran)


def test_streams_are_unique_per_daemon(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.run()
    for path, row in rows(node).items():
        assert Path(path).stem == row["log_stream_name"].rsplit("/", 1)[1]
        assert not set(row["log_stream_name"]) & set(":*"), "CloudWatch takes neither"


def test_step_precedes_all_that_can_fail() -> None:
    names = [step.name for step in load_steps()]
    for later in ("scratch", "lustre", "slurm_daemons", "users"):
        assert names.index("log_shipping") < names.index(later)


def test_failure_of_a_later_step_is_in_a_shipped_file(world: Callable[..., World]) -> None:
    node = world("workers-1", efa_moves=[0])
    run = node.run()
    assert run.code == 1
    assert run.statuses()["log_shipping"] == "applied"
    log = (node.root / "var/log/clusterwright/node.jsonl").read_text().splitlines()
    assert "/var/log/clusterwright/node.jsonl" in rows(node)
    ends = [json.loads(line) for line in log]
    assert ends[-1]["event"] == "run_end"
    assert ends[-2]["status"] == "failed"
    assert ends[-2]["error"] in run.last


def test_agent_error_is_reported_in_every_run_and_stops_nothing(
    world: Callable[..., World],
) -> None:
    node = world("workers-1", agent_error="Configuration validation first phase failed")
    for status in ("applied", "unchanged"):
        run = node.run()
        assert run.code == 0
        assert run.statuses()["log_shipping"] == status
        assert any("Configuration validation first phase failed" in n for n in run.notices())


def test_missing_agent_is_reported(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / CTL.lstrip("/")).unlink()
    run = node.run()
    assert run.code == 0
    assert any("the image has no CloudWatch agent" in text for text in run.notices())
    assert not (node.root / CONFIGURATION).exists()


def test_no_log_group_without_the_cluster_id(world: Callable[..., World]) -> None:
    node = world("workers-1")
    path = node.root / "opt/ml/config/resource_config.json"
    value = json.loads(path.read_text())
    del value["ClusterConfig"]["ClusterArn"]
    path.write_text(json.dumps(value))
    assert any("has no ClusterArn" in text for text in node.run().notices())
    node.edit("deployment.json", lambda d: d.update(log_group_name="/acme/nodes"))
    node.run()
    assert {row["log_group_name"] for row in rows(node).values()} == {"/acme/nodes"}


def test_logrotate_accepts_the_file(world: Callable[..., World], tmp_path: Path) -> None:
    node = world("workers-1")
    node.run()
    path = node.root / "etc/logrotate.d/clusterwright"
    assert path.stat().st_mode & 0o777 == 0o644, "logrotate passes over files others may write"
    program = shutil.which("logrotate") or shutil.which("logrotate", path="/usr/sbin")
    if program is not None:
        state = f"--state={tmp_path / 'state'}"
        done = subprocess.run(
            [program, "--debug", state, str(path)], capture_output=True, text=True, check=False
        )
        assert "error" not in done.stderr.lower(), done.stderr

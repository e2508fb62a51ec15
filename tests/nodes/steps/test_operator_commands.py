"""The step that installs the operating commands on the controller and on login nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node import programs

from clusterwright.operate.acceptance import planned_seconds
from stacks.lifecycle import scripts
from tests.nodes.world import World

ENTRY = "usr/local/bin/clusterwright"
SETTING = "etc/clusterwright/commands.json"


@pytest.mark.parametrize(
    ("name", "configuration", "administers"),
    [
        ("controller-1", "managed", True),
        ("controller-1", "scripted", True),
        ("controller-1", "parallelcluster", True),
        ("login-1", "managed", False),
        ("login-1", "parallelcluster", False),
        ("login-1", "pcs", True),
    ],
)
def test_controllers_and_login_nodes_have_the_commands(
    world: Callable[..., World], name: str, configuration: str, administers: bool
) -> None:
    node = world(name, configuration)
    assert node.run().statuses()["operator_commands"] == "applied"
    entry = node.root / ENTRY
    assert entry.stat().st_mode & 0o777 == 0o755
    assert "-m clusterwright_state.commands" in entry.read_text()
    package = node.root / "opt/clusterwright/lib/clusterwright_state/commands"
    assert (package / "program.py").is_file()
    found = json.loads((node.root / SETTING).read_text())
    assert found["administers"] is administers
    declared = json.loads((node.folder / "inputs" / "cluster.json").read_text())
    assert found["topology"] == declared["slurm"]["topology"]
    assert found["reserve"] is (configuration in ("parallelcluster", "pcs"))
    assert node.run().statuses()["operator_commands"] == "unchanged"
    assert found["has_service"] is False
    assert found["state_bucket"] is None
    on_hyperpod = configuration in ("managed", "scripted")
    assert found["account"] == ("111122223333" if on_hyperpod else None)
    node.edit("cluster.json", lambda c: c.update(state_bucket="sagemaker-prod-00000000"))
    assert node.run().statuses()["operator_commands"] == "applied"
    found = json.loads((node.root / SETTING).read_text())
    assert found["has_service"] is True
    assert found["state_bucket"] == "sagemaker-prod-00000000"


def test_compute_nodes_do_not(world: Callable[..., World]) -> None:
    node = world("workers-1")
    assert node.run().statuses()["operator_commands"] == "skipped"
    assert not (node.root / ENTRY).exists()


def test_a_program_of_the_site_stays(world: Callable[..., World]) -> None:
    node = world("login-1")
    node.run()
    entry = node.root / ENTRY
    entry.write_text("#!/usr/bin/python3\n# installed with pip\n")
    run = node.run()
    assert entry.read_text().endswith("pip\n")
    assert any("/usr/local/bin/clusterwright" in notice for notice in run.notices())


def test_the_tables_of_failures_are_installed(
    world: Callable[..., World], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder as it is uploaded: `clusterwright diagnose` runs from the installed copy."""
    scripts.copy_to(tmp_path / "scripts", scripts.diagnosis_files())
    monkeypatch.setattr(programs, "_SOURCE", tmp_path / "scripts")
    programs._files.cache_clear()
    try:
        node = world("controller-1")
        assert node.run().statuses()["operator_commands"] == "applied"
        assert node.run().statuses()["operator_commands"] == "unchanged"
        installed = node.root / "opt/clusterwright/lib"
        (installed / "clusterwright/diagnosis/engine.py").write_text("# changed\n")
        assert node.run().statuses()["operator_commands"] == "applied"
    finally:
        programs._files.cache_clear()
    log = tmp_path / "dmesg.txt"
    log.write_text("NVRM: Xid (PCI:0000:59:00): 79, pid=1, GPU has fallen off the bus.\n")
    words = [f"--setting={node.root / SETTING}", "diagnose", f"--log={log}", "--since=1m"]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "clusterwright_state.commands", *words, "--format=json"],
        env={"PYTHONPATH": str(installed), "PATH": ""},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    signatures = [one["signature"] for one in json.loads(done.stdout)["findings"]]
    assert "xid-replace" in signatures


def test_the_planned_time_is_that_of_the_command_elsewhere(world: Callable[..., World]) -> None:
    node = world("controller-1")
    node.run()
    groups = json.loads((node.root / SETTING).read_text())["groups"]
    declared = json.loads((node.folder / "inputs" / "cluster.json").read_text())["groups"]
    compute = [
        (group, kind["accelerator"], kind["efa"])
        for group, kind in zip(groups, declared, strict=True)
        if group["role"] == "compute"
    ]
    assert compute
    for group, kind, efa in compute:
        for level in ("quick", "standard", "full"):
            assert group["planned_seconds"][level] == planned_seconds(level, kind, efa=efa)

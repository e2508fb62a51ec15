"""Tests of CW-L011."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec import repository_root
from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import HERE


@pytest.mark.usefixtures("folder")
def test_built_in_folder_passes(rule: Harness) -> None:
    for name in ("CW-L011", "CW-L012", "CW-L014"):
        assert rule.run(name).rule.status == "pass"
        assert rule.run(name).rule.tested == 1
    rule.passes("CW-L011")
    rule.passes("CW-L012")
    rule.passes("CW-L014")
    # Unchanged scripts need no ShellCheck.
    rule.passes("CW-L013", tested=False)


def test_nothing_is_checked_without_a_repository(
    rule: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository_root, "root", lambda: None)
    for name in ("CW-L011", "CW-L012", "CW-L013", "CW-L014"):
        assert rule.run(name).rule.tested == 0


def test_missing_entry_is_reported(rule: Harness, folder: Path) -> None:
    entry = folder / "on_init_complete.sh"
    entry.write_bytes(b"")
    rule.fails("CW-L011", path=HERE, message="on_init_complete.sh is empty")
    entry.unlink()
    rule.fails("CW-L011", path=HERE, message="has no on_init_complete.sh, which HyperPod starts")
    scripted = {
        "slurm": {"configuration": "scripted"},
        "resilience.node_provisioning": "all-at-once",
    }
    rule.passes("CW-L011", scripted)
    on_ec2 = {"platform": "parallelcluster", "resilience": None}
    rule.passes("CW-L011", on_ec2)
    (folder / "on_node_configured.sh").unlink()
    message = "has no on_node_configured.sh, which ParallelCluster starts"
    rule.fails("CW-L011", on_ec2, path="platform", message=message)


def test_missing_import_is_reported(rule: Harness, folder: Path) -> None:
    (folder / "clusterwright_node" / "parsing.py").unlink()
    found = rule.run("CW-L011")
    assert found.findings
    assert all("imports clusterwright_node.parsing" in f.message for f in found.findings)
    (folder / "own").mkdir()
    (folder / "own" / "__init__.py").write_text("import own.helpers\n", encoding="utf-8")
    messages = [f.message for f in rule.run("CW-L011").findings]
    assert "lifecycle_scripts/own/__init__.py imports own.helpers, which does not exist" in (
        messages
    )

"""Tests of clusterwright.platforms.pcs.launch_templates."""

from __future__ import annotations

from pathlib import Path

from tests.platforms.pcs.specs import problems


def test_known_types_pass(tmp_path: Path) -> None:
    assert problems(tmp_path, compute__1__threads_per_core=1) == []


def test_type_without_known_interfaces_is_refused(tmp_path: Path) -> None:
    words = "network interfaces of p6e-gb200.36xlarge are unknown"
    found = problems(tmp_path, compute__1__instance_type="p6e-gb200.36xlarge")
    assert any(words in problem for problem in found), found

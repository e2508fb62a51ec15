"""The groups and roles of Slurm's nodes, and exit codes."""

from __future__ import annotations

from pathlib import Path

from clusterwright_state.commands import setting, view

from tests.nodes.state.commands.conftest import Commands, slurm_node


def read(tmp_path: Path) -> view.View:
    return view.read(setting.read(str(tmp_path / "commands.json")))


def test_a_group_is_found_by_list_partition_or_name(commands: Commands, tmp_path: Path) -> None:
    group = {"role": "compute", "instance_type": "c7i.large", "spare_count": 0}
    groups = [{"name": name, "partition": "gpu", **group} for name in ("one", "two")]
    commands.setting(groups=groups)
    commands.nodes = [
        slurm_node("ip-10-0-0-1"),
        slurm_node("ip-10-0-0-2", group="two"),
        slurm_node("one-1"),
        slurm_node("two-1", partitions=["other"]),
    ]
    found = {node["name"]: node["group"] for node in read(tmp_path).nodes}
    assert found == {"one-1": "one", "ip-10-0-0-2": "two", "ip-10-0-0-1": None, "two-1": None}


def test_login_nodes_of_pcs_run_no_jobs(commands: Commands, tmp_path: Path) -> None:
    commands.setting(platform="pcs")
    commands.nodes = [slurm_node("login-1", partitions=[]), slurm_node("workers-1")]
    found = read(tmp_path)
    assert [found.role(node) for node in found.nodes] == ["compute", "login"]
    assert [node["name"] for node in found.compute_nodes] == ["workers-1"]


def test_findings_come_before_unknown_parts() -> None:
    part = view.unknown("a", "b")
    wrong = view.finding("c", "warning", "d", [])
    noted = view.finding("c", "info", "d", [])
    assert view.exit_code([wrong], [part]) == 1
    assert view.exit_code([noted], [part]) == 2
    assert view.exit_code([noted], []) == 0
    assert view.most_severe_first([noted, wrong]) == [wrong, noted]

"""AWS's network tree, jobs in it, and Slurm's view of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import (
    RunningConfiguration,
    RunningJob,
    SchedulerView,
)
from clusterwright.operate.results import TopologyReport
from clusterwright.operate.topology import groups_of, topology_report
from tests.operate.clusters import cluster_state, in_slurm, load, published

AWS = {
    1: ("top", "spine-a", "leaf-1"),
    2: ("top", "spine-a", "leaf-1"),
    3: ("top", "spine-a", "leaf-2"),
    4: ("top", "spine-b", "leaf-3"),
}
TREE = RunningConfiguration(slurm_conf={"TopologyPlugin": "topology/tree"})


def report(
    folder: Path,
    slurm: dict[int, tuple[str, ...]] | None = None,
    *,
    aws: dict[int, tuple[str, ...]] | None = None,
    jobs: tuple[RunningJob, ...] = (),
    spec: dict[str, Any] | None = None,
    ec2: Any = None,
    configuration: RunningConfiguration | None = TREE,
) -> TopologyReport:
    loaded = load(folder, **spec or {})
    nodes = [
        in_slurm(
            i,
            switch_path=(AWS if aws is None else aws).get(i),
            slurm_switch_path=(slurm or {}).get(i),
        )
        for i in range(1, 5)
    ]
    view = SchedulerView(published(nodes, running=jobs, configuration=configuration), None)
    state = cluster_state(loaded, scheduler=view)
    return topology_report(loaded.cluster, state, ec2, file="test.yaml")


def agreement(found: TopologyReport) -> list[str]:
    return [place.agrees for place in found.nodes]


def test_job_on_unknown_nodes_has_no_place(tmp_path: Path) -> None:
    jobs = (RunningJob(id="7", nodes=("ip-workers-1",)), RunningJob(id="8"))
    found = report(tmp_path, AWS, jobs=jobs)
    assert [job.id for job in found.jobs or ()] == ["7"]
    assert [part.what for part in found.unknown] == ["the nodes of running jobs"]


def test_equal_trees_whatever_switches_are_called(tmp_path: Path) -> None:
    renamed = {i: tuple(f"cw-{part}" for part in path) for i, path in AWS.items()}
    found = report(tmp_path, renamed)
    assert agreement(found) == ["yes"] * 4
    assert (found.findings, found.unknown, found.exit_code) == ((), (), 0)
    assert [(n.id, n.layer, n.parent, len(n.nodes)) for n in found.network] == [
        ("top", 1, None, 4),
        ("spine-a", 2, "top", 3),
        ("leaf-1", 3, "spine-a", 2),
        ("leaf-2", 3, "spine-a", 1),
        ("spine-b", 2, "top", 1),
        ("leaf-3", 3, "spine-b", 1),
    ]


def test_a_root_above_the_tree_does_not_matter(tmp_path: Path) -> None:
    assert agreement(report(tmp_path, {i: ("cw-root", *p) for i, p in AWS.items()})) == ["yes"] * 4


def test_a_node_on_another_leaf(tmp_path: Path) -> None:
    found = report(tmp_path, {**AWS, 2: ("top", "spine-a", "leaf-2")})
    assert agreement(found) == ["no", "no", "no", "yes"]
    (finding,) = found.findings
    assert (finding.code, finding.severity, found.exit_code) == ("topology-differs", "warning", 1)
    assert finding.resources == ("ip-workers-1", "ip-workers-2", "ip-workers-3")


def test_nodes_in_one_view_only_are_not_compared(tmp_path: Path) -> None:
    found = report(tmp_path, {i: AWS[i] for i in (1, 2, 3)})
    assert agreement(found) == ["yes", "yes", "yes", "unknown"]
    assert found.findings == ()


@pytest.mark.parametrize(
    ("topology", "severity", "code"), [("tree", "warning", 1), ("auto", "info", 0)]
)
def test_slurm_without_a_tree(tmp_path: Path, topology: str, severity: str, code: int) -> None:
    flat = RunningConfiguration(slurm_conf={"TopologyPlugin": "topology/flat"})
    spec = {"platform": "parallelcluster", "slurm__topology": topology}
    ec2 = {f"i-workers-{i}": path for i, path in AWS.items()}
    found = report(tmp_path, spec=spec, ec2=ec2, configuration=flat)
    assert [(f.code, f.severity) for f in found.findings] == [("slurm-without-topology", severity)]
    assert "below 3 network nodes" in found.findings[0].message
    assert (found.plugin, found.exit_code) == ("topology/flat", code)


def test_blocks_are_not_a_tree(tmp_path: Path) -> None:
    block = RunningConfiguration(slurm_conf={"TopologyPlugin": "topology/block"})
    assert report(tmp_path, configuration=block).findings == ()


def test_jobs_across_spines(tmp_path: Path) -> None:
    def job(number: int, *nodes: int) -> RunningJob:
        return RunningJob(id=str(number), nodes=tuple(f"ip-workers-{i}" for i in nodes))

    found = report(tmp_path, AWS, jobs=(job(1, 1, 2), job(2, 1, 3), job(3, 3, 4), job(4, 4, 9)))
    assert [(j.leaves, j.spines, j.crosses_spines) for j in found.jobs or ()] == [
        (1, 1, False),
        (2, 1, False),
        (2, 2, True),
        (None, None, None),
    ]
    (finding,) = found.findings
    assert (finding.code, finding.severity, finding.resources) == (
        "job-across-spines",
        "info",
        ("3",),
    )
    assert found.exit_code == 0


def test_unknown_parts(tmp_path: Path) -> None:
    found = report(tmp_path, aws={})
    assert [part.what for part in found.unknown] == ["AWS's network nodes"]
    assert found.exit_code == 2
    assert agreement(found) == ["unknown"] * 4
    refused = NotRead("AWS's network nodes", "denied")
    found = report(tmp_path, AWS, spec={"platform": "parallelcluster"}, ec2=refused)
    assert [part.reason for part in found.unknown] == ["denied"]


def test_ec2_has_the_places_outside_hyperpod(tmp_path: Path) -> None:
    ec2 = {f"i-workers-{i}": path for i, path in AWS.items()}
    found = report(tmp_path, AWS, aws={}, spec={"platform": "parallelcluster"}, ec2=ec2)
    assert [place.path for place in found.nodes] == list(AWS.values())
    assert agreement(found) == ["yes"] * 4


def test_a_type_without_topology_is_known(tmp_path: Path) -> None:
    ec2 = {f"i-workers-{i}": () for i in AWS}
    found = report(tmp_path, aws={}, spec={"platform": "parallelcluster"}, ec2=ec2)
    assert (found.network, found.unknown, found.exit_code) == ((), (), 0)


def test_groups() -> None:
    assert groups_of({"a": ("t", "x"), "b": ("t", "x"), "c": ("t", "y")}) == {
        "a": {frozenset("ab")},
        "b": {frozenset("ab")},
        "c": {frozenset("c")},
    }

"""Published faults of releases, and the clusters that they affect."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.platforms import known_faults
from clusterwright.platforms.known_faults import (
    CHARTS,
    HYPERPOD_IMAGES,
    PARALLELCLUSTER,
    Fault,
    of_chart,
    of_hyperpod_image,
    of_parallelcluster,
    of_some_hyperpod_image,
)
from tests.support.rich_specs import ON_EKS, ON_PARALLELCLUSTER
from tests.support.specs import SMALL
from tests.support.validation import cluster


def numbers(version: str, changes: dict[str, Any] | None = None) -> set[str]:
    spec = cluster({**(changes or {}), "parallelcluster.version": version}, ON_PARALLELCLUSTER)
    return {fault.thread.rpartition("#")[2] for fault in of_parallelcluster(spec)}


@pytest.mark.parametrize(
    ("release", "expected"),
    [((3, 8, 9), False), ((3, 9), True), ((3, 9, 1), True), ((3, 9, 2), False)],
)
def test_both_ends_of_a_range_have_the_fault(release: tuple[int, ...], expected: bool) -> None:
    assert Fault("a#1", "fails", (3, 9), (3, 9, 1)).has(release) is expected


def test_a_fault_without_a_fix_has_no_last_release() -> None:
    fault = Fault("a#1", "fails", (3, 8, 0), None)
    assert fault.has((99, 0))
    assert not fault.has((3, 7, 9))


def test_every_fault_names_its_thread_and_an_ordered_range() -> None:
    of_charts = [fault for faults in CHARTS.values() for fault in faults]
    for fault in (*PARALLELCLUSTER, *HYPERPOD_IMAGES, *of_charts):
        assert "#" in fault.thread
        assert fault.what
        assert fault.last is None or fault.first <= fault.last, fault
    firsts = [fault.first for fault in PARALLELCLUSTER if fault.thread != "7601"]
    assert firsts[:5] == sorted(firsts[:5])


def test_faults_of_a_release() -> None:
    assert numbers("3.16.1") == set()
    assert "7601" in numbers("3.16.0")
    assert "7233" not in numbers("3.15.0")


@pytest.mark.parametrize(
    ("version", "changes", "thread"),
    [
        ("3.7.2", {"compute.1.instance_type": "p4d.24xlarge"}, "6015"),
        ("3.1.1", {"network.egress": "closed"}, "3777"),
        ("3.4.0", {"slurm.accounting": {"kind": "rds"}}, "5151"),
        ("3.8.0", {"compute.1.instance_type": "p3.16xlarge"}, "6014"),
    ],
)
def test_a_fault_concerns_only_clusters_that_it_affects(
    version: str, changes: dict[str, Any], thread: str
) -> None:
    assert thread in numbers(version, changes)
    assert thread not in numbers(
        version, {"compute.1.instance_type": "m5.4xlarge", "network.egress": "nat"}
    )


def test_a_custom_image_has_no_fault_of_the_published_ones() -> None:
    old_gpu = {"compute.1.instance_type": "p3.16xlarge"}
    image = {"image": {"image_id": "ami-0a1b2c3d4e5f60718"}}
    assert "6014" not in numbers("3.8.0", {**old_gpu, **image})


def test_faults_of_hyperpods_images() -> None:
    spec = cluster(base=SMALL)
    (fault,) = of_hyperpod_image(spec, dt.date(2024, 7, 31))
    assert fault.thread == "awslabs/awsome-distributed-ai#197"
    assert list(of_hyperpod_image(spec, dt.date(2024, 8, 1))) == []
    assert list(of_some_hyperpod_image(spec)) == [fault]
    assert list(of_some_hyperpod_image(cluster(base=ON_EKS))) == []
    without_gpus = cluster({"compute.1.instance_type": "m5.4xlarge"}, SMALL)
    assert list(of_some_hyperpod_image(without_gpus)) == []


@pytest.mark.parametrize(("version", "count"), [("v0.5.9", 1), ("0.5.9-rc1", 1), ("0.5.10", 0)])
def test_faults_of_a_chart(version: str, count: int) -> None:
    spec = cluster({"compute.1.instance_type": "p6-b200.48xlarge"}, ON_EKS)
    assert len(list(of_chart(spec, "aws-efa-k8s-device-plugin", version))) == count
    assert list(of_chart(cluster(base=ON_EKS), "aws-efa-k8s-device-plugin", version)) == []
    assert list(of_chart(spec, "kueue", version)) == []


def test_only_a_fault_that_stops_the_cluster_is_fatal() -> None:
    fatal = [fault.thread for fault in PARALLELCLUSTER if fault.is_fatal]
    assert fatal == [f"{known_faults._PC}6014"]

"""Tests of services.pcs.versions, services.pcs.suspension and services.pcs.limits."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.pcs_parts import (
    build_pcs_site,
    cluster,
    group,
    instances,
    queue,
)


def pcs() -> Any:
    return client("pcs")


def slurm(version: str) -> dict[str, Any]:
    return {"scheduler": {"type": "SLURM", "version": version}}


def test_only_current_versions_are_created() -> None:
    with local_aws():
        site = build_pcs_site()
        assert refusal(pcs().create_cluster, **site.request(**slurm("24.05"))) == (
            "ValidationException",
            "The scheduler version 24.05 isn't supported. Supported: 24.11, 25.05, 25.11, 26.05.",
        )
        assert site.create(**slurm("26.05"))["scheduler"]["version"] == "26.05"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("25.05", "cannot be updated to 25.05: only newer versions are supported."),
        ("24.11", "cannot be updated to 24.11: only newer versions are supported."),
        ("27.05", "The scheduler version 27.05 isn't supported."),
    ],
)
def test_versions_are_updated_upwards(target: str, message: str) -> None:
    with local_aws():
        build_pcs_site().create(**slurm("25.05"))
        found = refusal(
            pcs().update_cluster, clusterIdentifier="train", scheduler={"version": target}
        )
        assert found[0] == "ValidationException"
        assert found[1].endswith(message)


def test_suspended_cluster_has_no_instances_until_it_is_updated() -> None:
    with local_aws(suspended_slurm_versions={"24.11": "+1h"}, delays={"pcs_cluster": 60}):
        site = build_pcs_site()
        pcs().create_cluster(**site.request(**slurm("24.11")))
        runtime().clock.advance(60)
        site.create_group()
        site.create_queue()
        group_id = group()["id"]
        assert len(instances(group_id)) == 2
        runtime().clock.advance(3600)
        assert cluster()["status"] == "SUSPENDING"
        runtime().clock.advance(60)
        statuses = {cluster()["status"], group()["status"], queue()["status"]}
        assert statuses == {"SUSPENDED"}
        assert instances(group_id) == []
        assert refusal(pcs().create_cluster, **site.request("other", **slurm("24.11")))[0] == (
            "ValidationException"
        )
        assert refusal(pcs().update_cluster, clusterIdentifier="train") == (
            "ConflictException",
            "The cluster train is SUSPENDED and cannot be updated without a newer scheduler "
            "version.",
        )
        pcs().update_cluster(clusterIdentifier="train", scheduler={"version": "25.11"})
        assert group()["status"] == "RESUMING"
        runtime().clock.advance(60)
        statuses = {cluster()["status"], group()["status"], queue()["status"]}
        assert statuses == {"ACTIVE"}
        assert len(instances(group_id)) == 2


def test_suspended_cluster_can_be_deleted() -> None:
    with local_aws(suspended_slurm_versions={"24.11": "+1h"}):
        build_pcs_site().create(**slurm("24.11"))
        runtime().clock.advance(3600)
        cluster()
        assert cluster()["status"] == "SUSPENDED"
        pcs().delete_cluster(clusterIdentifier="train")
        assert pcs().list_clusters()["clusters"] == []


def test_documented_quota_is_five_clusters() -> None:
    with local_aws(quota_policy="documented"):
        site = build_pcs_site()
        for number in range(5):
            site.create(f"cluster-{number}")
        assert refusal(pcs().create_cluster, **site.request("more")) == (
            "ServiceQuotaExceededException",
            "The maximum number of clusters is 5.",
        )


def test_service_quotas_list_the_quota_of_clusters_of_the_world() -> None:
    with local_aws(quotas={"pcs/L-00000000": 2}, usage={"pcs/L-00000000": 1}):
        (found,) = client("service-quotas").list_service_quotas(ServiceCode="pcs")["Quotas"]
        assert (found["QuotaName"], found["Value"]) == ("Clusters", 2.0)
        services = client("service-quotas").list_services()["Services"]
        assert {"ServiceCode": "pcs", "ServiceName": "AWS Parallel Computing Service"} in services
        site = build_pcs_site()
        site.create("one")
        assert refusal(pcs().create_cluster, **site.request("two")) == (
            "ServiceQuotaExceededException",
            "The maximum number of clusters is 2.",
        )

"""Tests of services.pcs.clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.worlds.model import Fault
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.pcs_parts import PcsSite, build_pcs_site, cluster


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        yield build_pcs_site()


@pytest.fixture
def slow() -> Iterator[PcsSite]:
    """A world in which a change takes a minute."""
    with local_aws(delays={"pcs_cluster": 60}):
        yield build_pcs_site()


def pcs() -> Any:
    return client("pcs")


def test_cluster_is_creating_and_then_active_with_an_endpoint(slow: PcsSite) -> None:
    made = pcs().create_cluster(**slow.request())["cluster"]
    assert made["status"] == "CREATING"
    assert "endpoints" not in made
    runtime().clock.advance(59)
    assert cluster()["status"] == "CREATING"
    runtime().clock.advance(1)
    found = cluster()
    assert found["status"] == "ACTIVE"
    assert found["arn"] == f"arn:aws:pcs:us-east-1:123456789012:cluster/{found['id']}"
    (endpoint,) = found["endpoints"]
    assert (endpoint["type"], endpoint["port"]) == ("SLURMCTLD", "6817")
    interface = client("ec2").describe_network_interfaces(
        Filters=[
            {"Name": "addresses.private-ip-address", "Values": [endpoint["privateIpAddress"]]}
        ]
    )["NetworkInterfaces"][0]
    assert interface["SubnetId"] == slow.site.subnet_id


def test_defaults_are_those_of_the_api_model(site: PcsSite) -> None:
    configuration = site.create()["slurmConfiguration"]
    assert configuration["scaleDownIdleTimeInSeconds"] == 600
    assert configuration["accounting"] == {"mode": "NONE", "defaultPurgeTimeInDays": -1}
    assert configuration["slurmRest"] == {"mode": "NONE"}


def test_accounting_and_rest_have_endpoints_and_a_key(site: PcsSite) -> None:
    found = site.create(
        slurmConfiguration={"accounting": {"mode": "STANDARD"}, "slurmRest": {"mode": "STANDARD"}}
    )
    assert [(one["type"], one["port"]) for one in found["endpoints"]] == [
        ("SLURMCTLD", "6817"),
        ("SLURMDBD", "6819"),
        ("SLURMRESTD", "6820"),
    ]
    key = found["slurmConfiguration"]["jwtAuth"]["jwtKey"]
    assert client("secretsmanager").describe_secret(SecretId=key["secretArn"])


def test_second_cluster_waits_for_the_first(slow: PcsSite) -> None:
    pcs().create_cluster(**slow.request())
    code, message = refusal(pcs().create_cluster, **slow.request("other"))
    assert code == "ServiceQuotaExceededException"
    assert "there can be only 1 cluster in that state" in message
    runtime().clock.advance(60)
    assert pcs().create_cluster(**slow.request("other"))["cluster"]["status"] == "CREATING"


def test_name_is_unique(site: PcsSite) -> None:
    found = site.create()
    assert refusal(pcs().create_cluster, **site.request()) == (
        "ConflictException",
        "A cluster with the name train already exists.",
    )
    with pytest.raises(pcs().exceptions.ConflictException) as caught:
        pcs().create_cluster(**site.request())
    assert caught.value.response["resourceId"] == found["id"]
    assert caught.value.response["resourceType"] == "cluster"


def test_client_token_makes_a_creation_idempotent(site: PcsSite) -> None:
    first = pcs().create_cluster(**site.request(), clientToken="0123456789")["cluster"]
    assert pcs().create_cluster(**site.request(), clientToken="0123456789")["cluster"] == first
    code, _ = refusal(pcs().create_cluster, **site.request("other"), clientToken="0123456789")
    assert code == "ValidationException"
    assert len(pcs().list_clusters()["clusters"]) == 1


def test_lists_have_pages_of_ten(site: PcsSite) -> None:
    for number in range(12):
        site.create(f"cluster-{number}")
    first = pcs().list_clusters()
    assert len(first["clusters"]) == 10
    rest = pcs().list_clusters(nextToken=first["nextToken"])
    assert [one["name"] for one in rest["clusters"]] == ["cluster-10", "cluster-11"]
    assert refusal(pcs().list_clusters, nextToken="x")[0] == "InvalidToken"


def test_update_changes_version_and_settings(slow: PcsSite) -> None:
    pcs().create_cluster(
        **slow.request(
            scheduler={"type": "SLURM", "version": "24.11"},
            slurmConfiguration={"accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": 7}},
        )
    )
    assert refusal(pcs().update_cluster, clusterIdentifier="train") == (
        "ConflictException",
        "The cluster train is CREATING and cannot be updated.",
    )
    runtime().clock.advance(60)
    updated = pcs().update_cluster(
        clusterIdentifier="train",
        scheduler={"version": "25.11"},
        slurmConfiguration={"slurmRest": {"mode": "STANDARD"}},
    )["cluster"]
    assert updated["status"] == "UPDATING"
    runtime().clock.advance(60)
    found = cluster()
    assert found["status"] == "ACTIVE"
    assert found["scheduler"]["version"] == "25.11"
    assert found["slurmConfiguration"]["accounting"]["defaultPurgeTimeInDays"] == 7
    assert [one["type"] for one in found["endpoints"]] == ["SLURMCTLD", "SLURMDBD", "SLURMRESTD"]


def test_failed_creation_has_the_reason(site: PcsSite) -> None:
    fault = Fault(
        service="secretsmanager", operation="CreateSecret", error="Denied", message="no secrets"
    )
    runtime().set_faults([fault])
    found = site.create()
    assert found["status"] == "CREATE_FAILED"
    assert found["errorInfo"] == [{"code": "Denied", "message": "no secrets"}]
    runtime().set_faults([])
    pcs().delete_cluster(clusterIdentifier="train")
    assert refusal(cluster) == (
        "ResourceNotFoundException",
        "The cluster train does not exist.",
    )


def test_failed_update_keeps_the_old_settings(site: PcsSite) -> None:
    site.create()
    fault = Fault(service="secretsmanager", operation="CreateSecret", error="Denied")
    runtime().set_faults([fault])
    pcs().update_cluster(
        clusterIdentifier="train", slurmConfiguration={"slurmRest": {"mode": "STANDARD"}}
    )
    found = cluster()
    assert found["status"] == "UPDATE_FAILED"
    assert found["slurmConfiguration"]["slurmRest"] == {"mode": "NONE"}
    runtime().set_faults([])
    pcs().update_cluster(
        clusterIdentifier="train", slurmConfiguration={"slurmRest": {"mode": "STANDARD"}}
    )
    assert cluster()["status"] == "ACTIVE"
    assert "errorInfo" not in cluster()


def test_deletion_needs_an_empty_cluster_and_gives_everything_back(site: PcsSite) -> None:
    free = site.site.free_addresses()
    secret = site.create()["slurmConfiguration"]["authKey"]["secretArn"]
    assert site.site.free_addresses() == free - 1
    site.create_group(scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 1})
    assert refusal(pcs().delete_cluster, clusterIdentifier="train") == (
        "ConflictException",
        "The cluster train still has 0 queues and 1 compute node groups, which must be deleted "
        "first.",
    )
    pcs().delete_compute_node_group(
        clusterIdentifier="train", computeNodeGroupIdentifier="workers"
    )
    assert pcs().list_compute_node_groups(clusterIdentifier="train")["computeNodeGroups"] == []
    pcs().delete_cluster(clusterIdentifier="train")
    assert pcs().list_clusters()["clusters"] == []
    assert site.site.free_addresses() == free
    assert refusal(client("secretsmanager").describe_secret, SecretId=secret)[0] == (
        "ResourceNotFoundException"
    )

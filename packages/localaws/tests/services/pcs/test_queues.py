"""Tests of services.pcs.queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.pcs_parts import PcsSite, build_pcs_site, group, instances, queue

CONFIGURATIONS = "computeNodeGroupConfigurations"


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        found = build_pcs_site()
        found.create()
        found.create_group()
        yield found


def pcs() -> Any:
    return client("pcs")


def test_queue_is_created_updated_and_listed(site: PcsSite) -> None:
    made = site.create_queue()
    assert made["status"] == "ACTIVE"
    assert made["arn"].endswith(f"cluster/{made['clusterId']}/queue/{made['id']}")
    setting = {"parameterName": "Default", "parameterValue": "YES"}
    changed = pcs().update_queue(
        clusterIdentifier="train",
        queueIdentifier="batch",
        slurmConfiguration={"slurmCustomSettings": [setting]},
    )["queue"]
    assert changed["status"] == "UPDATING"
    assert queue()["slurmConfiguration"] == {"slurmCustomSettings": [setting]}
    assert queue()[CONFIGURATIONS] == made[CONFIGURATIONS]
    (listed,) = pcs().list_queues(clusterIdentifier="train")["queues"]
    assert (listed["name"], listed["status"]) == ("batch", "ACTIVE")


def test_queue_needs_groups_of_the_cluster(site: PcsSite) -> None:
    asked = {"clusterIdentifier": "train", "queueName": "batch"}
    assert refusal(pcs().create_queue, **asked) == (
        "ValidationException",
        "You must associate 1 or more compute node groups with the queue.",
    )
    absent = [{"computeNodeGroupId": "pcs_0123456789"}]
    assert refusal(pcs().create_queue, **asked, **{CONFIGURATIONS: absent}) == (
        "ResourceNotFoundException",
        "The computenodegroup pcs_0123456789 does not exist.",
    )


def test_name_is_unique_in_the_cluster(site: PcsSite) -> None:
    site.create_queue()
    ids = [{"computeNodeGroupId": group()["id"]}]
    assert refusal(
        pcs().create_queue, clusterIdentifier="train", queueName="batch", **{CONFIGURATIONS: ids}
    ) == ("ConflictException", "A queue with the name batch already exists.")


def test_setting_of_a_cluster_is_refused(site: PcsSite) -> None:
    setting = {"parameterName": "Prolog", "parameterValue": "/x"}
    code, message = refusal(
        pcs().create_queue,
        clusterIdentifier="train",
        queueName="batch",
        slurmConfiguration={"slurmCustomSettings": [setting]},
        **{CONFIGURATIONS: [{"computeNodeGroupId": group()["id"]}]},
    )
    assert code == "ValidationException"
    assert message.startswith("The parameter Prolog isn't supported. Supported: AllowAccounts, ")


def test_eleventh_queue_is_refused(site: PcsSite) -> None:
    for number in range(10):
        site.create_queue(f"queue-{number}")
    with pytest.raises(pcs().exceptions.ServiceQuotaExceededException) as caught:
        site.create_queue("more")
    assert caught.value.response["Error"]["Message"] == (
        "The maximum number of queues per cluster is 10."
    )
    assert caught.value.response["serviceCode"] == "pcs"


def test_last_queue_of_a_group_ends_its_instances(site: PcsSite) -> None:
    site.create_queue()
    site.create_queue("second")
    group_id = group()["id"]
    pcs().delete_queue(clusterIdentifier="train", queueIdentifier="second")
    pcs().list_queues(clusterIdentifier="train")
    assert len(instances(group_id)) == 2
    assert refusal(
        pcs().delete_compute_node_group,
        clusterIdentifier="train",
        computeNodeGroupIdentifier="workers",
    ) == (
        "ConflictException",
        "The compute node group workers is associated with queues, which must be deleted first: "
        "batch.",
    )
    pcs().delete_queue(clusterIdentifier="train", queueIdentifier="batch")
    assert refusal(queue)[0] == "ResourceNotFoundException"
    assert instances(group_id) == []

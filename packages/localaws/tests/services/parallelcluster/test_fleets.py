"""The fleets of a configuration, and the instances that they become."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.parallelcluster.fleets import (
    Fleet,
    bring_about,
    end_all,
    running,
    wanted,
)
from packages.localaws.tests.cloudformation.stacks import ACCOUNT
from packages.localaws.tests.handlers import context
from packages.localaws.tests.services.parallelcluster.clusters import (
    Ground,
    lay_ground,
    nodes,
)

GROUND = Ground("subnet-1", "sg-1")
GROUPS = {"Compute": "sg-compute", "LoginNode": "sg-login"}


def queue(**changes: Any) -> dict[str, Any]:
    found = GROUND.configuration(2)["Scheduling"]["SlurmQueues"][0]
    return {**found, **changes}


def fleets(**changes: Any) -> list[Fleet]:
    configuration = GROUND.configuration(2)
    configuration["Scheduling"]["SlurmQueues"] = [queue(**changes)]
    return wanted("train", configuration, GROUPS)


class TestWanted:
    def test_queues_then_login_pools(self) -> None:
        compute, login = fleets()
        assert compute.tags == {
            "parallelcluster:cluster-name": "train",
            "parallelcluster:node-type": "Compute",
            "parallelcluster:queue-name": "training",
            "parallelcluster:compute-resource-name": "workers",
        }
        assert (compute.count, login.count) == (2, 1)
        assert compute.launch == {
            "InstanceType": "m5.2xlarge",
            "SubnetId": "subnet-1",
            "SecurityGroupIds": ["sg-1"],
        }
        assert login.tags["parallelcluster:login-nodes-pool-name"] == "login"

    def test_managed_groups_with_additional_ones(self) -> None:
        networking = {"SubnetIds": ["subnet-1"], "AdditionalSecurityGroups": ["sg-2"]}
        compute, _ = fleets(Networking=networking)
        assert compute.launch["SecurityGroupIds"] == ["sg-compute", "sg-2"]

    @pytest.mark.parametrize(
        ("kind", "market"), [("SPOT", "spot"), ("CAPACITY_BLOCK", "capacity-block")]
    )
    def test_capacity_types(self, kind: str, market: str) -> None:
        target = {"CapacityReservationId": "cr-1"}
        compute, _ = fleets(CapacityType=kind, CapacityReservationTarget=target)
        assert compute.launch["InstanceMarketOptions"] == {"MarketType": market}
        assert compute.launch["CapacityReservationSpecification"] == {
            "CapacityReservationTarget": target
        }

    def test_placement_groups_by_name_of_the_resource_before_the_queue(self) -> None:
        networking = {"SubnetIds": ["subnet-1"], "PlacementGroup": {"Id": "of-queue"}}
        compute, _ = fleets(Networking=networking)
        assert compute.launch["Placement"] == {"GroupName": "of-queue"}
        resource = {
            "Name": "workers",
            "InstanceType": "m5.large",
            "Networking": {"PlacementGroup": {"Name": "own"}},
        }
        compute, _ = fleets(Networking=networking, ComputeResources=[resource])
        assert compute.launch["Placement"] == {"GroupName": "own"}
        managed = {"SubnetIds": ["subnet-1"], "PlacementGroup": {"Enabled": "true"}}
        compute, _ = fleets(Networking=managed)
        assert "Placement" not in compute.launch

    def test_dynamic_nodes_are_not_launched(self) -> None:
        resource = {"Name": "workers", "InstanceType": "m5.large", "MaxCount": 9}
        assert fleets(ComputeResources=[resource])[0].count == 0

    def test_static_nodes_of_several_types_are_refused(self) -> None:
        resource = {"Name": "workers", "Instances": [{"InstanceType": "a"}], "MinCount": 1}
        with pytest.raises(HandlerFailure, match="no static nodes of training/workers"):
            fleets(ComputeResources=[resource])


@pytest.fixture
def ground() -> Iterator[Ground]:
    with local_aws():
        yield lay_ground()


def test_fleets_grow_shrink_and_end(ground: Ground) -> None:
    found = wanted("train", ground.configuration(2), GROUPS)
    bring_about(context(account=ACCOUNT), "train", found, "ami-12c6146b")
    assert nodes() == [
        ("Compute", "m5.2xlarge"),
        ("Compute", "m5.2xlarge"),
        ("LoginNode", "m5.large"),
    ]
    assert running(context(account=ACCOUNT), "train") == (True, ["login"])
    compute, login = found
    bring_about(
        context(account=ACCOUNT), "train", [replace(compute, count=1), login], "ami-12c6146b"
    )
    assert len(nodes()) == 2
    larger = replace(compute, count=1, launch={**compute.launch, "InstanceType": "m5.4xlarge"})
    bring_about(context(account=ACCOUNT), "train", [larger], "ami-12c6146b")
    assert nodes() == [("Compute", "m5.4xlarge")]
    end_all(context(account=ACCOUNT), "train")
    assert (nodes(), running(context(account=ACCOUNT), "train")) == ([], (False, []))

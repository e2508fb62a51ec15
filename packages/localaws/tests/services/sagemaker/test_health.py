"""Tests of services.sagemaker.health."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    nodes,
    refusal,
)


class TestDeepHealthChecks:
    def test_deep_health_checks_follow_the_start_of_a_node(self) -> None:
        with local_aws(delays={"node": 60}) as runtime:
            site = build_site()
            checks = {"OnStartDeepHealthChecks": ["InstanceConnectivity"]}
            client("sagemaker").create_cluster(**site.request(site.group("workers", 1, **checks)))
            seen = []
            for _ in range(3):
                node = nodes(InstanceGroupNameContains="workers")[0]
                seen.append(node["InstanceStatus"]["Status"])
                runtime.clock.advance(60.5)
            assert seen == ["Pending", "DeepHealthCheckInProgress", "Running"]


def test_health_check_accepts_only_instances_of_the_group(site: Site) -> None:
    site.create(site.group("workers", 1))
    controller = nodes(InstanceGroupNameContains="controller")[0]["InstanceId"]
    code, message = refusal(
        client("sagemaker").start_cluster_health_check,
        ClusterName="train",
        DeepHealthCheckConfigurations=[
            {
                "InstanceGroupName": "workers",
                "InstanceIds": [controller],
                "DeepHealthChecks": ["InstanceStress"],
            }
        ],
    )
    assert (code, controller in message) == ("ResourceNotFound", True)


ABSENT = "i-00000000000000000"


def workers() -> list[dict[str, Any]]:
    return nodes(InstanceGroupNameContains="workers")


class TestHealthCheck:
    def test_health_check_takes_its_delay(self) -> None:
        with local_aws(delays={"node": 30}) as runtime:
            site = build_site()
            site.create(site.group("workers", 2))
            runtime.clock.advance(31)
            chosen = workers()[0]["InstanceId"]
            client("sagemaker").start_cluster_health_check(
                ClusterName="train",
                DeepHealthCheckConfigurations=[
                    {
                        "InstanceGroupName": "workers",
                        "InstanceIds": [chosen],
                        "DeepHealthChecks": ["InstanceStress"],
                    }
                ],
            )
            assert [n["InstanceStatus"]["Status"] for n in workers()] == [
                "DeepHealthCheckInProgress",
                "Running",
            ]
            runtime.clock.advance(31)
            assert {n["InstanceStatus"]["Status"] for n in workers()} == {"Running"}

    @pytest.mark.parametrize("entry", [{"InstanceGroupName": "absent"}, {"InstanceIds": [ABSENT]}])
    def test_what_is_not_there_is_not_found(self, site: Site, entry: dict[str, Any]) -> None:
        site.create(site.group("workers", 1))
        code, _ = refusal(
            client("sagemaker").start_cluster_health_check,
            ClusterName="train",
            DeepHealthCheckConfigurations=[
                {
                    "InstanceGroupName": "workers",
                    "DeepHealthChecks": ["InstanceStress"],
                    **entry,
                }
            ],
        )
        assert code == "ResourceNotFound"


class TestOneAtATime:
    def check(self, group: str = "workers") -> dict[str, Any]:
        return {
            "ClusterName": "train",
            "DeepHealthCheckConfigurations": [
                {"InstanceGroupName": group, "DeepHealthChecks": ["InstanceStress"]}
            ],
        }

    def test_second_check_is_refused_until_the_first_ends(self) -> None:
        with local_aws(delays={"node": 30}) as aws:
            site = build_site()
            site.create(site.group("workers", 1))
            aws.clock.advance(31)
            start = client("sagemaker").start_cluster_health_check
            start(**self.check())
            assert refusal(start, **self.check())[0] == "ConflictException"
            aws.clock.advance(31)
            start(**self.check())

    def test_controller_is_not_checked(self) -> None:
        with local_aws(delays={"node": 30}) as aws:
            site = build_site()
            site.create(site.group("workers", 1))
            aws.clock.advance(31)
            client("sagemaker").start_cluster_health_check(**self.check("controller"))
            assert {n["InstanceStatus"]["Status"] for n in nodes()} == {"Running"}

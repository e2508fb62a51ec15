"""Values of managed node groups that EKS refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.eks import node_values
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        site = build_eks_site()
        site.create()
        yield site


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    return client("eks")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"kubernetes.io/role": "a"}, "Label cannot contain reserved prefixes [kubernetes.io/, "),
        ({"k8s.io/role": "a"}, "reserved prefixes"),
        ({"eks.amazonaws.com/nodegroup": "a"}, "reserved prefixes"),
        ({"with space": "a"}, "Invalid value: with space : field must consist of alphanumeric"),
        ({"-begins": "a"}, "must start and end with an alphanumeric character"),
        ({"role": "a b"}, "Invalid value: a b : field must consist of"),
        ({"Upper.example/role": "a"}, "must be a DNS subdomain"),
        ({"two/slashes/role": "a"}, "must be a DNS subdomain"),
    ],
)
def test_labels_that_are_refused(labels: dict[str, str], words: str) -> None:
    with pytest.raises(AwsError) as found:
        node_values.check_labels(labels)
    assert found.value.code == "InvalidParameterException"
    assert words in found.value.message


def test_labels_that_are_taken() -> None:
    node_values.check_labels(
        {
            "role": "a.b_c-d",
            "node-role.kubernetes.io/worker": "true",
            "example.com/role": "1",
        }
    )
    node_values.check_taints(
        [{"key": "example.com/gpu", "value": "", "effect": "NO_SCHEDULE"}, {"key": "a"}]
    )


@pytest.mark.parametrize("taint", [{"key": "a b"}, {"key": "a", "value": "b c"}])
def test_taints_that_are_refused(taint: dict[str, str]) -> None:
    with pytest.raises(AwsError, match="field must consist of"):
        node_values.check_taints([taint])


@pytest.mark.parametrize(
    ("types", "image"),
    [
        (["t4g.small"], "AL2_x86_64"),
        (["m5.large", "m6g.large"], "AL2023_x86_64_STANDARD"),
        (["m5.large"], "AL2023_ARM_64_STANDARD"),
        (["m5.large"] * 21, "CUSTOM"),
    ],
)
def test_types_that_are_refused(types: list[str], image: str) -> None:
    with pytest.raises(AwsError) as found:
        node_values.check_types(types, image)
    assert found.value.code == "InvalidParameterException"


def test_types_that_are_taken() -> None:
    node_values.check_types(["m6g.large", "t4g.small"], "BOTTLEROCKET_ARM_64")
    node_values.check_types(["m5.large"], "WINDOWS_CORE_2022_x86_64")
    node_values.check_types(["m6g.large"], "CUSTOM")
    node_values.check_types(["unknown.large"], "AL2023_x86_64_STANDARD")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"instanceTypes": ["t4g.small"]},
            "[t4g.small] is not a valid instance type for requested amiType "
            "AL2023_x86_64_STANDARD",
        ),
        ({"labels": {"k8s.io/a": "b"}}, "reserved prefixes"),
        ({"taints": [{"key": "a b", "effect": "NO_SCHEDULE"}]}, "Invalid value: a b"),
        ({"updateConfig": {"maxUnavailable": 101}}, "100"),
        (
            {
                "nodeRepairConfig": {
                    "maxUnhealthyNodeThresholdCount": 1,
                    "maxUnhealthyNodeThresholdPercentage": 1,
                }
            },
            "Specify only one of maxUnhealthyNodeThresholdCount",
        ),
        ({"version": "1.30"}, "Nodegroup Kubernetes version should be equal to Cluster"),
    ],
)
def test_groups_that_are_refused(
    eks_site: EksSite, eks: Any, changes: dict[str, Any], words: str
) -> None:
    code, message = refusal(eks.create_nodegroup, **{**eks_site.group(), **changes})
    assert (code, words in message) == ("InvalidParameterException", True), message


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": {"addOrUpdateLabels": {"k8s.io/a": "b"}}},
        {"taints": {"addOrUpdateTaints": [{"key": "a b", "effect": "NO_SCHEDULE"}]}},
        {
            "nodeRepairConfig": {
                "maxParallelNodesRepairedCount": 1,
                "maxParallelNodesRepairedPercentage": 1,
            }
        },
    ],
)
def test_changes_that_are_refused(eks_site: EksSite, eks: Any, changes: dict[str, Any]) -> None:
    eks.create_nodegroup(**eks_site.group())
    found = refusal(
        eks.update_nodegroup_config, clusterName="eks", nodegroupName="system", **changes
    )
    assert found[0] == "InvalidParameterException"

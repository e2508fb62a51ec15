"""Tests of services.eks.access."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, role
from packages.localaws.tests.parts import client, refusal

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


class TestAccess:
    def test_access_entry_and_policies_are_managed(self, eks: Any) -> None:
        principal = role("people", "ec2.amazonaws.com")
        entry = {"clusterName": "eks", "principalArn": principal}
        made = eks.create_access_entry(**entry, kubernetesGroups=["viewers"], tags={"a": "b"})
        assert made["accessEntry"]["type"] == "STANDARD"
        assert refusal(eks.create_access_entry, **entry) == (
            "ResourceInUseException",
            "The specified access entry resource is already in use on this cluster.",
        )
        eks.associate_access_policy(
            **entry, policyArn=ADMIN, accessScope={"type": "namespace", "namespaces": ["a"]}
        )
        listed = eks.list_associated_access_policies(**entry)["associatedAccessPolicies"]
        assert [(p["policyArn"], p["accessScope"]["namespaces"]) for p in listed] == [
            (ADMIN, ["a"])
        ]
        found = eks.list_access_entries(clusterName="eks", associatedPolicyArn=ADMIN)
        assert principal in found["accessEntries"]
        eks.update_access_entry(**entry, kubernetesGroups=["others"])
        shown = eks.describe_access_entry(**entry)["accessEntry"]
        assert (shown["kubernetesGroups"], shown["tags"]) == (["others"], {"a": "b"})
        eks.disassociate_access_policy(**entry, policyArn=ADMIN)
        assert eks.list_associated_access_policies(**entry)["associatedAccessPolicies"] == []
        eks.delete_access_entry(**entry)
        assert refusal(eks.describe_access_entry, **entry)[0] == "ResourceNotFoundException"

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"principalArn": "arn:aws:iam::123456789012:role/absent"}, "invalid principal"),
            ({"principalArn": "nonsense"}, "invalid format"),
            ({"kubernetesGroups": ["system:masters"]}, "cannot start with system:"),
            ({"type": "NOTHING"}, "is not one of"),
            ({"type": "EC2_LINUX", "kubernetesGroups": ["x"]}, "can only be specified"),
            (
                {
                    "principalArn": "arn:aws:iam::123456789012:role/aws-service-role/x.amazonaws"
                    ".com/AWSServiceRoleForX"
                },
                "Service Linked Role",
            ),
        ],
    )
    def test_invalid_access_entries_are_refused(
        self, eks_site: EksSite, eks: Any, change: dict[str, Any], words: str
    ) -> None:
        request = {"clusterName": "eks", "principalArn": eks_site.pod_role, **change}
        assert words in refusal(eks.create_access_entry, **request)[1]

    def test_cluster_creator_is_an_administrator(self, eks: Any) -> None:
        creator = "arn:aws:iam::123456789012:root"
        assert eks.list_access_entries(clusterName="eks")["accessEntries"] == [creator]
        found = eks.list_associated_access_policies(clusterName="eks", principalArn=creator)
        assert found["associatedAccessPolicies"][0]["policyArn"] == ADMIN

    def test_unknown_access_policy_is_refused(self, eks: Any) -> None:
        entry = {"clusterName": "eks", "principalArn": "arn:aws:iam::123456789012:root"}
        scope = {"type": "cluster"}
        wrong = ADMIN.replace("ClusterAdmin", "Nothing")
        code, _ = refusal(eks.associate_access_policy, **entry, policyArn=wrong, accessScope=scope)
        assert code == "InvalidParameterException"
        code, _ = refusal(
            eks.associate_access_policy,
            **entry,
            policyArn=ADMIN,
            accessScope={"type": "namespace"},
        )
        assert code == "InvalidParameterException"

    def test_access_policies_are_paginated(self, eks: Any) -> None:
        pages = list(
            eks.get_paginator("list_access_policies").paginate(PaginationConfig={"PageSize": 5})
        )
        names = [policy["name"] for page in pages for policy in page["accessPolicies"]]
        assert len(pages) == 4
        assert names == sorted(set(names))

"""Tests of services.eks.pod_identity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, role
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


class TestPodIdentity:
    def test_service_account_has_one_pod_identity(self, eks_site: EksSite, eks: Any) -> None:
        request = {
            "clusterName": "eks",
            "namespace": "ml",
            "serviceAccount": "train",
            "roleArn": eks_site.pod_role,
        }
        made = eks.create_pod_identity_association(**request)["association"]
        assert refusal(eks.create_pod_identity_association, **request)[0] == (
            "ResourceInUseException"
        )
        name = {"clusterName": "eks", "associationId": made["associationId"]}
        other = role("others", "pods.eks.amazonaws.com")
        eks.update_pod_identity_association(**name, roleArn=other)
        shown = eks.describe_pod_identity_association(**name)["association"]
        assert shown["roleArn"] == other
        wrong = {**request, "serviceAccount": "x", "roleArn": eks_site.node_role}
        assert "pods.eks.amazonaws.com" in refusal(eks.create_pod_identity_association, **wrong)[1]
        none = eks.list_pod_identity_associations(clusterName="eks", namespace="none")
        assert none["associations"] == []
        eks.delete_pod_identity_association(**name)
        assert refusal(eks.describe_pod_identity_association, **name)[0] == (
            "ResourceNotFoundException"
        )

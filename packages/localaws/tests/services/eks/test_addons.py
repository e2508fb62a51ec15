"""Tests of services.eks.addons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site, cluster
from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        yield build_eks_site()


@pytest.fixture
def eks(eks_site: EksSite) -> Any:
    eks_site.create()
    return client("eks")


class TestAddons:
    def test_addon_is_created_updated_and_deleted(self, eks_site: EksSite, eks: Any) -> None:
        name = {"clusterName": "eks", "addonName": "eks-pod-identity-agent"}
        eks.create_addon(**name, configurationValues="replicas: 2", tags={"a": "b"})
        assert refusal(eks.create_addon, **name) == (
            "ResourceInUseException",
            "Addon already exists",
        )
        update = eks.update_addon(**name, addonVersion="v1.3.4-eksbuild.1")["update"]
        shown = eks.describe_addon(**name)["addon"]
        assert (shown["addonVersion"], shown["status"]) == ("v1.3.4-eksbuild.1", "ACTIVE")
        assert shown["configurationValues"] == "replicas: 2"
        found = eks.describe_update(
            name="eks", updateId=update["id"], addonName=name["addonName"]
        )["update"]
        assert (found["type"], found["status"]) == ("AddonUpdate", "Successful")
        assert refusal(eks.describe_update, name="eks", updateId=update["id"])[0] == (
            "ResourceNotFoundException"
        )
        eks.delete_addon(**name)
        assert eks.list_addons(clusterName="eks")["addons"] == []

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"addonName": "not-an-addon"}, "Addon specified is not supported"),
            ({"addonVersion": "1.2.3"}, "Addon version specified is not supported"),
            ({"configurationValues": "[1, 2"}, "ConfigurationValue provided in request"),
            (
                {"serviceAccountRoleArn": "arn:aws:iam::123456789012:role/absent"},
                "does not exist",
            ),
        ],
    )
    def test_invalid_addons_are_refused(
        self, eks: Any, change: dict[str, Any], words: str
    ) -> None:
        request = {"clusterName": "eks", "addonName": "vpc-cni", **change}
        code, message = refusal(eks.create_addon, **request)
        assert (code, words in message) == ("InvalidParameterException", True)

    def test_pod_identities_of_an_addon_are_deleted_with_it(
        self, eks_site: EksSite, eks: Any
    ) -> None:
        name = {"clusterName": "eks", "addonName": "vpc-cni"}
        wanted = [{"serviceAccount": "aws-node", "roleArn": eks_site.pod_role}]
        made = eks.create_addon(**name, podIdentityAssociations=wanted)["addon"]
        listed = eks.list_pod_identity_associations(clusterName="eks")["associations"]
        assert made["podIdentityAssociations"] == [listed[0]["associationArn"]]
        assert listed[0]["ownerArn"] == made["addonArn"]
        identifier = listed[0]["associationId"]
        assert (
            "owned by"
            in refusal(
                eks.delete_pod_identity_association, clusterName="eks", associationId=identifier
            )[1]
        )
        eks.delete_addon(**name)
        assert eks.list_pod_identity_associations(clusterName="eks")["associations"] == []

    def test_offered_addon_versions_can_be_created(self, eks: Any) -> None:
        for addon in eks.describe_addon_versions(kubernetesVersion=cluster()["version"])["addons"]:
            version = addon["addonVersions"][0]["addonVersion"]
            eks.create_addon(clusterName="eks", addonName=addon["addonName"], addonVersion=version)
            eks.describe_addon_configuration(addonName=addon["addonName"], addonVersion=version)
        assert len(eks.list_addons(clusterName="eks")["addons"]) > 10

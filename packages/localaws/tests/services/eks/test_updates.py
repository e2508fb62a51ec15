"""Tests of services.eks.updates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.eks import versions
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


class TestUpdates:
    def test_concurrent_updates_are_refused(self, eks: Any) -> None:
        code, message = refusal(
            eks.update_cluster_config,
            name="eks",
            deletionProtection=True,
            upgradePolicy={"supportType": "STANDARD"},
        )
        assert (code, message) == (
            "InvalidParameterException",
            "Only one type of update can be allowed.",
        )
        assert refusal(eks.update_cluster_config, name="eks")[1] == (
            "The type for cluster update was not provided."
        )

    @pytest.mark.parametrize(
        ("change", "kind", "path", "value"),
        [
            (
                {"resourcesVpcConfig": {"endpointPrivateAccess": True}},
                "EndpointAccessUpdate",
                ("resourcesVpcConfig", "endpointPrivateAccess"),
                True,
            ),
            (
                {"logging": {"clusterLogging": [{"types": ["api"], "enabled": True}]}},
                "LoggingUpdate",
                ("logging", "clusterLogging", 0),
                {"types": ["api"], "enabled": True},
            ),
            (
                {"upgradePolicy": {"supportType": "STANDARD"}},
                "UpgradePolicyUpdate",
                ("upgradePolicy", "supportType"),
                "STANDARD",
            ),
            (
                {"deletionProtection": True},
                "DeletionProtectionUpdate",
                ("deletionProtection",),
                True,
            ),
            (
                {"zonalShiftConfig": {"enabled": True}},
                "ZonalShiftConfigUpdate",
                ("zonalShiftConfig", "enabled"),
                True,
            ),
            (
                {"controlPlaneScalingConfig": {"tier": "tier-xl"}},
                "ControlPlaneScalingConfigUpdate",
                ("controlPlaneScalingConfig", "tier"),
                "tier-xl",
            ),
            (
                {"kubeSchedulerConfig": {"nodeResourcesFit": {}}},
                "ControlPlaneComponentConfigUpdate",
                ("kubeSchedulerConfig", "nodeResourcesFit"),
                {},
            ),
        ],
    )
    def test_update_is_described_until_it_succeeds(
        self, eks: Any, change: dict[str, Any], kind: str, path: tuple[Any, ...], value: object
    ) -> None:
        update = eks.update_cluster_config(name="eks", **change)["update"]
        assert (update["type"], update["status"]) == (kind, "InProgress")
        ended = eks.describe_update(name="eks", updateId=update["id"])["update"]
        assert ended["status"] == "Successful"
        assert eks.list_updates(name="eks")["updateIds"] == [update["id"]]
        found: Any = cluster()
        for step in path:
            found = found[step]
        assert found == value
        code, _ = refusal(eks.update_cluster_config, name="eks", **change)
        assert code == "InvalidParameterException"

    def test_deletion_protection_refuses_deletion(self, eks: Any) -> None:
        eks.update_cluster_config(name="eks", deletionProtection=True)
        assert refusal(eks.delete_cluster, name="eks")[0] == "InvalidRequestException"

    def test_version_can_increase_by_one_minor(self, eks_site: EksSite) -> None:
        known = [each.name for each in reversed(versions.VERSIONS)]
        eks = client("eks")
        now = datetime.now(UTC)
        start = next(name for name in known if versions.creatable(name, now))
        eks_site.create(version=start)
        steps = known[known.index(start) + 1 :]
        if len(steps) > 1:
            code, message = refusal(eks.update_cluster_version, name="eks", version=steps[1])
            assert code == "InvalidParameterException"
            assert "Unsupported Kubernetes minor version update from" in message
        eks.update_cluster_version(name="eks", version=steps[0])
        assert cluster()["version"] == steps[0]
        assert refusal(eks.update_cluster_version, name="eks", version=start)[0] == (
            "InvalidParameterException"
        )

    def test_authentication_mode_cannot_be_reverted(self, eks_site: EksSite) -> None:
        eks_site.create(accessConfig={"authenticationMode": "CONFIG_MAP"})
        eks = client("eks")
        for mode, fits in (("API", False), ("API_AND_CONFIG_MAP", True), ("API", True)):
            change = {"name": "eks", "accessConfig": {"authenticationMode": mode}}
            if fits:
                eks.update_cluster_config(**change)
                assert cluster()["accessConfig"]["authenticationMode"] == mode
            else:
                assert (
                    "Unsupported authentication mode update"
                    in refusal(eks.update_cluster_config, **change)[1]
                )

    def test_encryption_can_be_enabled_once(self, eks: Any) -> None:
        key = client("kms").create_key()["KeyMetadata"]["Arn"]
        config = [{"resources": ["secrets"], "provider": {"keyArn": key}}]
        eks.associate_encryption_config(clusterName="eks", encryptionConfig=config)
        assert cluster()["encryptionConfig"] == config
        assert refusal(
            eks.associate_encryption_config, clusterName="eks", encryptionConfig=config
        ) == ("InvalidParameterException", "Encryption is already enabled on the cluster")

"""Tests of services.sagemaker.extensions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import Site, build_site, client, describe, refusal

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}
NAME = "sagemaker-observability"
LEVEL = {"metricsProvider": {"nodeMetrics": {"level": "ADVANCED"}}}


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        site = build_eks_site()
        site.create()
        yield site


def build(**more: Any) -> str:
    site = build_site()
    site.create(site.group("workers", 2), **{**CONTINUOUS, **more})
    return str(describe()["ClusterArn"])


def create(cluster: str, **more: Any) -> str:
    return str(
        client("sagemaker").create_cluster_extension(
            **{"ClusterArn": cluster, "ExtensionName": NAME, **more}
        )["ExtensionArn"]
    )


def extension(cluster: str, arn: str) -> dict[str, Any]:
    found: dict[str, Any] = client("sagemaker").describe_cluster_extension(
        ClusterArn=cluster, ExtensionArn=arn
    )
    return found


def update(cluster: str, arn: str, **more: Any) -> None:
    client("sagemaker").update_cluster_extension(ClusterArn=cluster, ExtensionArn=arn, **more)


class TestLife:
    def test_extension_is_installed_on_every_node(self) -> None:
        with local_aws(delays={"extension": 60}) as aws:
            cluster = build()
            arn = create(cluster, ConfigurationValues=json.dumps(LEVEL))
            found = extension(cluster, arn)
            assert found["ExtensionDetails"]["Status"] == "Creating"
            assert found["NodeSummary"] == {"TotalCount": 3, "ActiveCount": 0}
            aws.clock.advance(61)
            found = extension(cluster, arn)
            details = found["ExtensionDetails"]
            assert (details["Status"], details["ExtensionVersion"]) == ("Active", "1.0.0")
            assert json.loads(details["ConfigurationValues"]) == LEVEL
            assert found["NodeSummary"] == {"TotalCount": 3, "ActiveCount": 3}
            assert found["Health"] == {"Issues": []}
            (listed,) = client("sagemaker").list_cluster_extensions(ClusterArn=cluster)[
                "Extensions"
            ]
            assert (listed["ExtensionArn"], listed["ExtensionName"]) == (arn, NAME)

    def test_deleted_extension_is_gone_after_its_delay(self) -> None:
        with local_aws(delays={"extension": 60}) as aws:
            cluster = build()
            arn = create(cluster)
            aws.clock.advance(61)
            delete = client("sagemaker").delete_cluster_extension
            delete(ClusterArn=cluster, ExtensionArn=arn)
            assert extension(cluster, arn)["ExtensionDetails"]["Status"] == "Deleting"
            for call in (delete, client("sagemaker").update_cluster_extension):
                code, _ = refusal(call, ClusterArn=cluster, ExtensionArn=arn)
                assert code == "ConflictException"
            aws.clock.advance(61)
            code, _ = refusal(
                client("sagemaker").describe_cluster_extension,
                ClusterArn=cluster,
                ExtensionArn=arn,
            )
            assert code == "ResourceNotFound"

    def test_update_changes_settings_and_null_removes_one(self, local: None) -> None:
        cluster = build()
        arn = create(cluster, ConfigurationValues=json.dumps({**LEVEL, "a": 1}))
        changes = {"metricsProvider": {"nodeMetrics": {"other": 2}}, "a": None}
        update(cluster, arn, ConfigurationValues=json.dumps(changes))
        found = json.loads(extension(cluster, arn)["ExtensionDetails"]["ConfigurationValues"])
        assert found == {"metricsProvider": {"nodeMetrics": {"level": "ADVANCED", "other": 2}}}

    def test_version_goes_up_only(self) -> None:
        with local_aws(extension_versions={NAME: ["1.0.0", "1.10.0", "1.9.0"]}):
            listed = client("sagemaker").list_cluster_extension_versions(ExtensionName=NAME)
            assert [v["ExtensionVersion"] for v in listed["ExtensionVersions"]] == [
                "1.10.0",
                "1.9.0",
                "1.0.0",
            ]
            cluster = build()
            arn = create(cluster, ExtensionVersion="1.9.0")
            update(cluster, arn, ExtensionVersion="1.10.0")
            code, message = refusal(
                client("sagemaker").update_cluster_extension,
                ClusterArn=cluster,
                ExtensionArn=arn,
                ExtensionVersion="1.0.0",
            )
            assert (code, "earlier version" in message) == ("ValidationException", True)

    def test_tags_are_kept(self, local: None) -> None:
        arn = create(build(), Tags=[{"Key": "team", "Value": "ml"}])
        client("sagemaker").add_tags(ResourceArn=arn, Tags=[{"Key": "x", "Value": "y"}])
        found = client("sagemaker").list_tags(ResourceArn=arn)["Tags"]
        assert [tag["Key"] for tag in found] == ["team", "x"]


class TestTokens:
    def test_repeated_request_creates_nothing(self) -> None:
        with local_aws() as aws:
            cluster = build()
            arn = create(cluster, ClientToken="t")
            assert create(cluster, ClientToken="t") == arn
            code, _ = refusal(
                client("sagemaker").create_cluster_extension,
                ClusterArn=cluster,
                ExtensionName=NAME,
                ConfigurationValues="{}",
                ClientToken="t",
            )
            assert code == "ConflictException"
            aws.clock.advance(8 * 3600 + 1)
            code, _ = refusal(
                client("sagemaker").create_cluster_extension,
                ClusterArn=cluster,
                ExtensionName=NAME,
                ClientToken="t",
            )
            assert code == "ResourceInUse"

    def test_repeated_update_is_applied_once(self) -> None:
        with local_aws(delays={"extension": 5}) as aws:
            cluster = build()
            arn = create(cluster)
            aws.clock.advance(6)
            update(cluster, arn, ClientToken="u")
            aws.clock.advance(6)
            update(cluster, arn, ClientToken="u")
            assert extension(cluster, arn)["ExtensionDetails"]["Status"] == "Active"


class TestRefusals:
    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"ExtensionName": "absent"}, "ResourceNotFound"),
            ({"ExtensionVersion": "9.9.9"}, "ValidationException"),
            ({"ConfigurationValues": "[]"}, "ValidationException"),
            ({"ConfigurationValues": "{"}, "ValidationException"),
        ],
    )
    def test_request_that_cannot_be_met_is_refused(
        self, local: None, more: dict[str, Any], code: str
    ) -> None:
        request = {"ClusterArn": build(), "ExtensionName": NAME, **more}
        assert refusal(client("sagemaker").create_cluster_extension, **request)[0] == code

    def test_cluster_without_continuous_is_refused(self, site: Site) -> None:
        cluster = site.create(site.group("workers", 1))["ClusterArn"]
        code, message = refusal(
            client("sagemaker").create_cluster_extension, ClusterArn=cluster, ExtensionName=NAME
        )
        assert (code, "Continuous" in message) == ("ValidationException", True)

    def test_cluster_of_eks_is_refused(self, eks_site: EksSite) -> None:
        request = eks_site.hyperpod(**CONTINUOUS)
        cluster = client("sagemaker").create_cluster(**request)["ClusterArn"]
        code, _ = refusal(
            client("sagemaker").create_cluster_extension, ClusterArn=cluster, ExtensionName=NAME
        )
        assert code == "ValidationException"

    def test_second_extension_of_a_name_is_refused(self, local: None) -> None:
        cluster = build()
        arn = create(cluster)
        code, message = refusal(
            client("sagemaker").create_cluster_extension, ClusterArn=cluster, ExtensionName=NAME
        )
        assert (code, arn in message) == ("ResourceInUse", True)

    def test_extension_of_another_cluster_is_not_found(self, local: None) -> None:
        cluster = build()
        absent = create(cluster).rsplit("/", 1)[0] + "/absent"
        code, _ = refusal(
            client("sagemaker").delete_cluster_extension, ClusterArn=cluster, ExtensionArn=absent
        )
        assert code == "ResourceNotFound"


def test_health_issue_comes_from_the_world() -> None:
    issue = {"Code": "DependencyUnreachable", "Message": "No route to AMP", "NodeCount": 2}
    override = {
        "service": "sagemaker",
        "operation": "DescribeClusterExtension",
        "set": {
            "ExtensionDetails.Status": "Degraded",
            "NodeSummary.ActiveCount": 1,
            "Health.Issues": [issue],
        },
    }
    with local_aws(overrides=[override]):
        cluster = build()
        found = extension(cluster, create(cluster))
        assert found["ExtensionDetails"]["Status"] == "Degraded"
        assert found["Health"]["Issues"] == [issue]

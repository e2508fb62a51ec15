"""Service Quotas: every code of the catalogue, the world's values, increase requests."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import build_site, client, refusal

P5_CLUSTER = "L-8762A75F"  # ml.p5.48xlarge for cluster usage


def every(operation: str, key: str = "Quotas", **parameters: Any) -> list[dict[str, Any]]:
    pages = client("service-quotas").get_paginator(operation).paginate(**parameters)
    return [entry for page in pages for entry in page[key]]


@pytest.mark.usefixtures("aws")
class TestAmple:
    def test_every_code_of_the_catalogue_is_listed_with_its_name(self) -> None:
        catalog = load_catalog()
        services = {quota.service for quota in catalog.quotas if quota.code}
        assert services <= {s["ServiceCode"] for s in every("list_services", "Services")}
        for service in sorted(services):
            listed = {
                quota["QuotaCode"]: quota["QuotaName"]
                for quota in every("list_service_quotas", ServiceCode=service)
            }
            assert listed == {
                quota.code: quota.name
                for quota in catalog.quotas
                if quota.service == service and quota.code
            }

    def test_only_sourced_defaults_are_returned(self) -> None:
        stated = {
            quota.code: float(quota.default_in("us-east-1").value)
            for quota in load_catalog().quotas
            if quota.service == "sagemaker"
            and quota.code
            and isinstance(quota.default_in("us-east-1"), Known)
        }
        listed = {
            quota["QuotaCode"]: quota["Value"]
            for quota in every("list_aws_default_service_quotas", ServiceCode="sagemaker")
        }
        assert listed == stated
        assert stated  # the comparison is not empty

    def test_generous_quota_allows_a_large_cluster(self) -> None:
        quota = client("service-quotas").get_service_quota(
            ServiceCode="sagemaker", QuotaCode=P5_CLUSTER
        )["Quota"]
        assert quota["Value"] == 10_000.0
        assert quota["QuotaName"] == "ml.p5.48xlarge for cluster usage"
        assert quota["QuotaArn"] == (
            f"arn:aws:servicequotas:us-east-1:123456789012:sagemaker/{P5_CLUSTER}"
        )

    def test_small_pages_contain_every_quota_once(self) -> None:
        whole = every("list_service_quotas", ServiceCode="sagemaker")
        pages = client("service-quotas").get_paginator("list_service_quotas")
        in_sevens = [
            quota
            for page in pages.paginate(ServiceCode="sagemaker", PaginationConfig={"PageSize": 7})
            for quota in page["Quotas"]
        ]
        assert in_sevens == whole
        assert len({quota["QuotaCode"] for quota in whole}) == len(whole) > 50

    @pytest.mark.parametrize("operation", ["get_service_quota", "get_aws_default_service_quota"])
    @pytest.mark.parametrize(
        ("service", "code"), [("sagemaker", "L-00000000"), ("nosuchservice", P5_CLUSTER)]
    )
    def test_an_unknown_quota_does_not_exist(
        self, operation: str, service: str, code: str
    ) -> None:
        get = getattr(client("service-quotas"), operation)
        found, message = refusal(get, ServiceCode=service, QuotaCode=code)
        assert found == "NoSuchResourceException"
        assert f"{service}/{code}" in message

    def test_token_of_another_caller_is_refused(self) -> None:
        found, _ = refusal(
            client("service-quotas").list_service_quotas,
            ServiceCode="sagemaker",
            NextToken="bm90IG91cnM=",
        )
        assert found == "InvalidPaginationTokenException"


class TestNewAccount:
    def test_applied_quotas_are_the_documented_defaults(self) -> None:
        with local_aws("new-account"):
            applied = every("list_service_quotas", ServiceCode="sagemaker")
            defaults = every("list_aws_default_service_quotas", ServiceCode="sagemaker")
        assert applied == defaults

    def test_a_quota_of_unknown_default_is_not_listed_and_not_enforced(self) -> None:
        unknown = next(
            quota.code
            for quota in load_catalog().quotas
            if quota.service == "sagemaker"
            and quota.code
            and not isinstance(quota.default_in("us-east-1"), Known)
        )
        with local_aws("new-account"):
            found, _ = refusal(
                client("service-quotas").get_service_quota,
                ServiceCode="sagemaker",
                QuotaCode=unknown,
            )
        assert found == "NoSuchResourceException"

    def test_quota_of_the_world_is_returned_and_enforced(self) -> None:
        with local_aws("new-account", quotas={f"sagemaker/{P5_CLUSTER}": 3}):
            site = build_site()
            create = client("sagemaker").create_cluster
            found, message = refusal(create, **site.request(site.group("gpu", 4)))
            assert found == "ResourceLimitExceeded"
            assert "'ml.p5.48xlarge for cluster usage' is 3 Instances" in message
            create(**site.request(site.group("gpu", 3)))


def test_usage_of_the_world_counts_and_is_in_the_error() -> None:
    changes = {
        "quotas": {f"sagemaker/{P5_CLUSTER}": 16},
        "usage": {f"sagemaker/{P5_CLUSTER}": 10},
    }
    with local_aws(**changes):
        site = build_site()
        found, message = refusal(
            client("sagemaker").create_cluster, **site.request(site.group("gpu", 7))
        )
        assert found == "ResourceLimitExceeded"
        assert "current utilization of 10 Instances and a request delta of 7" in message
        site.create(site.group("gpu", 6))


def test_world_can_define_quotas_that_the_catalogue_lacks() -> None:
    with local_aws(quotas={"bedrock/L-12345678": 5}):
        assert [q["Value"] for q in every("list_service_quotas", ServiceCode="bedrock")] == [5.0]
        assert "bedrock" in {s["ServiceCode"] for s in every("list_services", "Services")}


class TestEveryCode:
    """Every code of the catalogue through every operation."""

    CODES = tuple(
        (quota.service, quota.code) for quota in load_catalog().quotas if quota.code is not None
    )

    def test_every_quota_supports_every_operation(self) -> None:
        with local_aws():
            quotas, catalog = client("service-quotas"), load_catalog()
            for service, code in self.CODES:
                asked = {"ServiceCode": service, "QuotaCode": code}
                applied = quotas.get_service_quota(**asked)["Quota"]
                default = catalog.quota(service, code).default_in("us-east-1")
                if isinstance(default, Known):
                    found = quotas.get_aws_default_service_quota(**asked)["Quota"]
                    assert found["Value"] == float(default.value), code
                    assert applied["Value"] >= found["Value"], code
                else:
                    get = quotas.get_aws_default_service_quota
                    assert refusal(get, **asked)[0] == "NoSuchResourceException", code
                more = quotas.request_service_quota_increase(
                    **asked, DesiredValue=applied["Value"] + 1
                )["RequestedQuota"]
                assert (more["QuotaCode"], more["Status"]) == (code, "PENDING")
                history = quotas.list_requested_service_quota_change_history_by_quota(**asked)
                assert [
                    requested_quota["Id"] for requested_quota in history["RequestedQuotas"]
                ] == [more["Id"]]
                again = refusal(
                    quotas.request_service_quota_increase,
                    **asked,
                    DesiredValue=applied["Value"] + 2,
                )
                assert again[0] == "ResourceAlreadyExistsException", code
            everything = every("list_requested_service_quota_change_history", "RequestedQuotas")
            assert len(everything) == len(set(self.CODES)) > 100

    def test_quota_of_the_world_changes_only_that_quota(self) -> None:
        values = {f"{service}/{code}": 3.0 for service, code in self.CODES}
        with local_aws("new-account", quotas=values):
            for service in sorted({service for service, _ in self.CODES}):
                found = every("list_service_quotas", ServiceCode=service)
                assert {item["Value"] for item in found} == {3.0}

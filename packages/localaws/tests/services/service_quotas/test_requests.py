"""Tests of services.service_quotas.requests."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

P5_CLUSTER = "L-8762A75F"  # ml.p5.48xlarge for cluster usage


PER_CLUSTER = "L-2CE978FC"


def every(operation: str, key: str = "Quotas", **parameters: Any) -> list[dict[str, Any]]:
    pages = client("service-quotas").get_paginator(operation).paginate(**parameters)
    return [entry for page in pages for entry in page[key]]


class TestRequests:
    def request(self, value: float, code: str = P5_CLUSTER) -> dict[str, Any]:
        answer = client("service-quotas").request_service_quota_increase(
            ServiceCode="sagemaker", QuotaCode=code, DesiredValue=value
        )
        found: dict[str, Any] = answer["RequestedQuota"]
        return found

    def test_a_request_stays_pending_and_changes_nothing(self) -> None:
        with local_aws("new-account", quotas={f"sagemaker/{P5_CLUSTER}": 8}):
            request = self.request(64)
            assert (request["Status"], request["DesiredValue"]) == ("PENDING", 64.0)
            quotas = client("service-quotas")
            again = quotas.get_requested_service_quota_change(RequestId=request["Id"])
            assert again["RequestedQuota"] == request
            applied = quotas.get_service_quota(ServiceCode="sagemaker", QuotaCode=P5_CLUSTER)
            assert applied["Quota"]["Value"] == 8.0

    def test_history_is_filtered_by_service_quota_and_status(self) -> None:
        with local_aws("new-account"):
            first, second = self.request(64), self.request(1_024, PER_CLUSTER)
            history = "list_requested_service_quota_change_history"
            assert every(history, "RequestedQuotas") == [first, second]
            assert every(history, "RequestedQuotas", ServiceCode="fsx") == []
            assert every(history, "RequestedQuotas", Status="APPROVED") == []
            assert every(
                f"{history}_by_quota",
                "RequestedQuotas",
                ServiceCode="sagemaker",
                QuotaCode=PER_CLUSTER,
            ) == [second]

    def test_one_open_request_per_quota(self) -> None:
        with local_aws("new-account"):
            self.request(64)
            found, message = refusal(self.request, value=128)
        assert found == "ResourceAlreadyExistsException"
        assert "one open" in message

    def test_a_quota_below_the_current_value_is_refused(self) -> None:
        with local_aws("new-account", quotas={f"sagemaker/{P5_CLUSTER}": 8}):
            found, _ = refusal(self.request, value=8)
        assert found == "IllegalArgumentException"

    def test_an_unknown_request_does_not_exist(self) -> None:
        with local_aws():
            found, _ = refusal(
                client("service-quotas").get_requested_service_quota_change, RequestId="0" * 40
            )
        assert found == "NoSuchResourceException"

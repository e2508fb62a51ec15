"""Quotas: the applied value precedes the default, and a denial is never a missing quota."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import quotas
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright_localaws import local_aws

CODE = "L-8762A75F"
ASKED = {"ServiceCode": "sagemaker", "QuotaCode": CODE}


def answer(value: float | None, code: str = CODE) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ServiceCode": "sagemaker",
        "QuotaCode": code,
        "QuotaName": "ml.p5.48xlarge for cluster usage",
        "Unit": "None",
        "Adjustable": True,
    }
    return found if value is None else {**found, "Value": value}


def test_applied_quota_is_returned(session: AwsSession) -> None:
    with Stubber(session.client("service-quotas")) as stub:
        stub.add_response("get_service_quota", {"Quota": answer(8)}, ASKED)
        found = quotas.quota(session, "sagemaker", CODE)
    assert found == quotas.QuotaValue(
        "sagemaker", CODE, "ml.p5.48xlarge for cluster usage", 8.0, "None", True, True
    )


def test_default_quota_is_returned_without_an_applied_one(session: AwsSession) -> None:
    with Stubber(session.client("service-quotas")) as stub:
        stub.add_client_error("get_service_quota", "NoSuchResourceException")
        stub.add_response("get_aws_default_service_quota", {"Quota": answer(0)}, ASKED)
        found = quotas.quota(session, "sagemaker", CODE)
    assert found is not None
    assert (found.value, found.applied) == (0.0, False)


def test_unknown_quota_code_is_none(session: AwsSession) -> None:
    with Stubber(session.client("service-quotas")) as stub:
        stub.add_client_error("get_service_quota", "NoSuchResourceException")
        stub.add_client_error("get_aws_default_service_quota", "NoSuchResourceException")
        assert quotas.quota(session, "sagemaker", "L-00000000") is None


def test_a_denial_is_not_a_missing_quota(session: AwsSession) -> None:
    with Stubber(session.client("service-quotas")) as stub:
        stub.add_client_error("get_service_quota", "AccessDeniedException", http_status_code=400)
        with pytest.raises(AwsUnavailable) as caught:
            quotas.quota(session, "sagemaker", CODE)
    assert caught.value.reason == "denied"
    assert caught.value.iam_action == "servicequotas:GetServiceQuota"


@pytest.mark.parametrize(
    ("function", "operation", "applied"),
    [
        (quotas.default_quotas, "list_aws_default_service_quotas", False),
        (quotas.applied_quotas, "list_service_quotas", True),
    ],
)
def test_all_pages_of_quotas_are_read(
    session: AwsSession, function: Any, operation: str, applied: bool
) -> None:
    with Stubber(session.client("service-quotas")) as stub:
        stub.add_response(operation, {"Quotas": [answer(1)], "NextToken": "more"})
        stub.add_response(operation, {"Quotas": [answer(None, "L-2CE978FC")]})
        found = list(function(session, "sagemaker"))
    assert [(q.code, q.value, q.applied) for q in found] == [
        (CODE, 1.0, applied),
        ("L-2CE978FC", None, applied),
    ]


def test_quotas_are_found_by_words_of_their_name(session: AwsSession) -> None:
    named = {"QuotaName": "ML.P5.48xlarge for Cluster usage"}
    with Stubber(session.client("service-quotas")) as stub:
        default = {"Quotas": [answer(0), answer(5, "L-2") | {"QuotaName": "another"}]}
        stub.add_response("list_aws_default_service_quotas", default, {"ServiceCode": "sagemaker"})
        applied = {"Quotas": [answer(8) | named]}
        stub.add_response("list_service_quotas", applied, {"ServiceCode": "sagemaker"})
        found = quotas.quotas_named(session, "sagemaker", "cluster USAGE")
    assert [(one.code, one.value, one.applied) for one in found] == [(CODE, 8.0, True)]


def test_quotas_of_iam_are_in_one_region() -> None:
    with local_aws(quotas={"iam/L-FE177D64": 500}, usage={"iam/L-FE177D64": 7}):
        session = AwsSession("us-west-2")
        found = quotas.applied_quota(session, "iam", "L-FE177D64")
        assert found.value == 500
        assert found.usage is not None
        assert found.usage.region == "us-east-1"
        made = quotas.request_increase(session, "iam", "L-FE177D64", 600)
        assert [r.id for r in quotas.increase_requests(session, "iam", "L-FE177D64")] == [made.id]
        with pytest.raises(AwsUnavailable):
            tuple(quotas.applied_quotas(session, "iam"))
    assert quotas.region_of("iam", "us-gov-west-1") == "us-gov-west-1"
    assert quotas.region_of("ec2", "us-west-2") == "us-west-2"

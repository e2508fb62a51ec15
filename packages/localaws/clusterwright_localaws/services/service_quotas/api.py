"""Service Quotas: every quota of the catalogue with a code, with the values of the world.

A quota whose default no source states is missing from the defaults, and in a world with documented
quotas from the applied values too: AWS's values are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright_localaws.core import catalog_facts, quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.core.quotas import AppliedQuota
from clusterwright_localaws.services.cloudwatch.quota_usage import usage_metric
from clusterwright_localaws.services.ec2.zones import partition_of
from clusterwright_localaws.services.service_quotas.requests import requests_of

NAMES = {
    "aps": "Amazon Managed Service for Prometheus",
    "ebs": "Amazon Elastic Block Store (Amazon EBS)",
    "ec2": "Amazon Elastic Compute Cloud (Amazon EC2)",
    "eks": "Amazon Elastic Kubernetes Service (Amazon EKS)",
    "fsx": "Amazon FSx",
    "kms": "AWS Key Management Service (AWS KMS)",
    "pcs": "AWS Parallel Computing Service",
    "rds": "Amazon Relational Database Service (Amazon RDS)",
    "s3": "Amazon Simple Storage Service (Amazon S3)",
    "sagemaker": "Amazon SageMaker",
    "vpc": "Amazon Virtual Private Cloud (Amazon VPC)",
}


@operation("service-quotas", "ListServices")
def list_services(call: Call) -> Mapping[str, Any]:
    known = {quota.service for quota in catalog_facts.catalog().quotas}
    known |= quotas.services_with_unpublished()
    known |= {key.split("/")[0] for key in call.world.quotas}
    entries, token = _page(sorted(known), call)
    return _with_token(
        {"Services": [{"ServiceCode": s, "ServiceName": NAMES.get(s, s)} for s in entries]}, token
    )


@operation("service-quotas", "ListServiceQuotas")
def list_service_quotas(call: Call) -> Mapping[str, Any]:
    target = call.parameters.get("QuotaCode")
    found = [
        view(call, quota, quota.value)
        for quota in _quotas(call)
        if quota.value is not None and target in (None, quota.code)
    ]
    entries, token = _page(found, call)
    return _with_token({"Quotas": list(entries)}, token)


@operation("service-quotas", "ListAWSDefaultServiceQuotas")
def list_default_quotas(call: Call) -> Mapping[str, Any]:
    found = [
        view(call, quota, quota.default) for quota in _quotas(call) if quota.default is not None
    ]
    entries, token = _page(found, call)
    return _with_token({"Quotas": list(entries)}, token)


@operation("service-quotas", "GetServiceQuota")
def get_service_quota(call: Call) -> Mapping[str, Any]:
    quota = _find(call)
    if quota.value is None:
        raise _no_such(call)
    return {"Quota": view(call, quota, quota.value)}


@operation("service-quotas", "GetAWSDefaultServiceQuota")
def get_default_quota(call: Call) -> Mapping[str, Any]:
    quota = _find(call)
    if quota.default is None:
        raise _no_such(call)
    return {"Quota": view(call, quota, quota.default)}


@operation("service-quotas", "RequestServiceQuotaIncrease")
def request_increase(call: Call) -> Mapping[str, Any]:
    """Store a request, which stays PENDING: AWS takes days to weeks; here the world sets
    quotas.
    """
    quota = _find(call)
    desired = float(call.parameters["DesiredValue"])
    if quota.value is not None and desired <= quota.value:
        raise AwsError(
            "IllegalArgumentException",
            "The requested quota value must be greater than the current quota value.",
        )
    return {"RequestedQuota": requests_of(call).add(call, quota, desired, _described(call, quota))}


@operation("service-quotas", "GetRequestedServiceQuotaChange")
def get_request(call: Call) -> Mapping[str, Any]:
    for request in requests_of(call).entries:
        if request["Id"] == call.parameters["RequestId"]:
            return {"RequestedQuota": request}
    raise AwsError("NoSuchResourceException", "The request does not exist.")


@operation(
    "service-quotas",
    "ListRequestedServiceQuotaChangeHistory",
    "ListRequestedServiceQuotaChangeHistoryByQuota",
)
def list_requests(call: Call) -> Mapping[str, Any]:
    requested = call.parameters
    found = [
        request
        for request in requests_of(call).entries
        if requested.get("ServiceCode") in (None, request["ServiceCode"])
        and requested.get("QuotaCode") in (None, request["QuotaCode"])
        and requested.get("Status") in (None, request["Status"])
    ]
    entries, token = _page(found, call)
    return _with_token({"RequestedQuotas": list(entries)}, token)


def view(call: Call, quota: AppliedQuota, value: float) -> dict[str, Any]:
    """Return a quota in the shape of the API."""
    return {
        **_described(call, quota),
        "Value": float(value),
        # Sources do not state which quotas are adjustable; those with a code are assumed to be.
        "Adjustable": True,
        "GlobalQuota": False,
        "QuotaAppliedAtLevel": "ACCOUNT",
        **usage_metric(call, quota.service, quota.code),
    }


def _described(call: Call, quota: AppliedQuota) -> dict[str, Any]:
    return {
        "ServiceCode": quota.service,
        "ServiceName": NAMES.get(quota.service, quota.service),
        "QuotaArn": (
            f"arn:{partition_of(call.region)}:servicequotas:{call.region}:{call.account}:"
            f"{quota.service}/{quota.code}"
        ),
        "QuotaCode": quota.code,
        "QuotaName": quota.name,
        # AWS has "None" for nearly all of them, SageMaker's instances included.
        "Unit": "None",
    }


def _quotas(call: Call) -> Iterable[AppliedQuota]:
    service = call.parameters["ServiceCode"]
    found = list(quotas.quotas(call.runtime, call.region, service))
    if not found or _is_elsewhere(call):
        raise _no_such(call)
    return found


def _find(call: Call) -> AppliedQuota:
    service = call.parameters["ServiceCode"]
    found = quotas.quota(call.runtime, call.region, service, call.parameters["QuotaCode"])
    if found is None or _is_elsewhere(call):
        raise _no_such(call)
    return found


def _is_elsewhere(call: Call) -> bool:
    """Service Quotas has IAM in one region only (brennerm/aws-quota-checker #23)."""
    home = {"iam": "us-east-1"}.get(call.parameters["ServiceCode"])
    return home is not None and call.region != home and partition_of(call.region) == "aws"


def _no_such(call: Call) -> AwsError:
    requested = "/".join(
        str(call.parameters[name])
        for name in ("ServiceCode", "QuotaCode")
        if name in call.parameters
    )
    return AwsError(
        "NoSuchResourceException",
        f"The request failed because the specified service or quota does not exist: {requested}",
    )


def _page(entries: list[Any], call: Call) -> tuple[Any, str | None]:
    return page(
        entries,
        call,
        default=100,
        maximum=100,
        stale_page_code="InvalidPaginationTokenException",
    )


def _with_token(answer: dict[str, Any], token: str | None) -> dict[str, Any]:
    return {**answer, "NextToken": token} if token else answer

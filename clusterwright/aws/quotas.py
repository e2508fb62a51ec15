"""Service Quotas: applied and default values, usage, requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.session import AwsSession

_CLIENT = "service-quotas"

_HOMES = {"s3": "us-east-1"}
"""Where quotas of a whole account are listed, if the cluster's region does not list them."""

_GLOBAL = {"iam": "us-east-1"}
"""Where alone Service Quotas has the services without regions (aws-quota-checker #23).

Of the partitions for China and the US government no source states it.
"""


def region_of(service: str, region: str | None) -> str | None:
    """Return the region in which Service Quotas has a service, for a cluster in `region`."""
    elsewhere = region is not None and region.startswith(("cn-", "us-gov-", "us-iso"))
    return region if elsewhere else _GLOBAL.get(service, region)


@dataclass(frozen=True)
class QuotaValue:
    """A quota in a region: the account's value (`applied`) or AWS's default.

    `value` is `None` if the response has none, which is different from 0.
    """

    service: str
    code: str
    name: str
    value: float | None
    unit: str
    adjustable: bool
    applied: bool


def default_quotas(
    session: AwsSession, service: str, *, region: str | None = None
) -> Iterator[QuotaValue]:
    """Return every default quota of a service (`sagemaker`, `ec2`, `vpc`, `fsx`, ...).

    Raises
    ------
    AwsUnavailable
        The request failed; if `is_not_found`, the region does not have the service.
    """
    for page in session.pages(
        _CLIENT, "ListAWSDefaultServiceQuotas", region=region, ServiceCode=service
    ):
        for quota in page["Quotas"]:
            yield _value(quota, service, applied=False)


def applied_quotas(
    session: AwsSession, service: str, *, region: str | None = None
) -> Iterator[QuotaValue]:
    """Return every quota of a service as applied to this account.

    Quotas that were never changed may be missing from this list: their default applies.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    for page in session.pages(_CLIENT, "ListServiceQuotas", region=region, ServiceCode=service):
        for quota in page["Quotas"]:
            yield _value(quota, service, applied=True)


def quota(
    session: AwsSession, service: str, code: str, *, region: str | None = None
) -> QuotaValue | None:
    """Return a quota: the account's value, else the default; `None` if AWS has no such code.

    Raises
    ------
    AwsUnavailable
        The request failed. A denial is never treated as "no such quota".
    """
    for operation in ("GetServiceQuota", "GetAWSDefaultServiceQuota"):
        try:
            answer = session.call(
                _CLIENT, operation, region=region, ServiceCode=service, QuotaCode=code
            )
        except AwsUnavailable as error:
            if is_not_found(error):
                continue
            raise
        return _value(answer["Quota"], service, applied=operation == "GetServiceQuota")
    return None


def quotas_named(session: AwsSession, service: str, words: str) -> tuple[QuotaValue, ...]:
    """Return the quotas of a service whose name contains `words`, in any case.

    The account's values, and AWS's defaults for quotas that were never changed. For quotas whose
    code no source states.

    Raises
    ------
    AwsUnavailable
        A request failed.
    """
    found = {
        quota.code: quota
        for listed in (default_quotas(session, service), applied_quotas(session, service))
        for quota in listed
        if words.lower() in quota.name.lower()
    }
    return tuple(found[code] for code in sorted(found))


@dataclass(frozen=True)
class UsageMetric:
    """The CloudWatch metric of the current usage of a quota."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str
    region: str | None = None
    """Where Service Quotas has the quota; None for the session's."""


@dataclass(frozen=True)
class AppliedQuota:
    """The applied value of a quota, and its usage metric, if any."""

    value: float
    usage: UsageMetric | None
    adjustable: bool | None = None
    """Whether it is increased on request; None if unknown."""


def applied_quota(session: AwsSession, service: str, code: str) -> AppliedQuota:
    """Return the applied value of a quota, never AWS's default.

    Raises
    ------
    AwsUnavailable
        The request failed, or Service Quotas returns no applied value.
    """
    region, answer = _applied(session, service, code)
    value = answer["Quota"].get("Value")
    if value is None:
        why = (
            answer["Quota"].get("ErrorReason", {}).get("ErrorMessage", "the response has no value")
        )
        raise AwsUnavailable(
            service=_CLIENT,
            operation="GetServiceQuota",
            region=session.region,
            reason="other",
            detail=f"{service} {code}: {why}",
        )
    return AppliedQuota(
        float(value),
        _usage(answer["Quota"].get("UsageMetric") or {}, region),
        answer["Quota"].get("Adjustable"),
    )


def _applied(session: AwsSession, service: str, code: str) -> tuple[str | None, Mapping[str, Any]]:
    """Call GetServiceQuota in the region that lists the quota; returns the region, too."""
    region = region_of(service, session.region)
    asked = {"ServiceCode": service, "QuotaCode": code}
    try:
        return region, session.call(_CLIENT, "GetServiceQuota", region=region, **asked)
    except AwsUnavailable as error:
        home = _HOMES.get(service)
        if home is None or home == session.region or not is_not_found(error):
            raise
        return home, session.call(_CLIENT, "GetServiceQuota", region=home, **asked)


def _usage(answer: Mapping[str, Any], region: str | None) -> UsageMetric | None:
    if not answer.get("MetricNamespace") or not answer.get("MetricName"):
        return None
    return UsageMetric(
        answer["MetricNamespace"],
        answer["MetricName"],
        tuple(sorted((answer.get("MetricDimensions") or {}).items())),
        answer.get("MetricStatisticRecommendation") or "Maximum",
        region,
    )


def _value(answer: Mapping[str, Any], service: str, *, applied: bool) -> QuotaValue:
    value = answer.get("Value")
    return QuotaValue(
        service=service,
        code=answer["QuotaCode"],
        name=answer["QuotaName"],
        value=None if value is None else float(value),
        unit=answer.get("Unit", "None"),
        adjustable=bool(answer.get("Adjustable", False)),
        applied=applied,
    )


@dataclass(frozen=True)
class IncreaseRequest:
    """A request for an increase of a quota, from Service Quotas.

    `case_id` is that of the support case, if there is one.
    """

    id: str
    status: str
    desired: float
    case_id: str | None

    @property
    def decided(self) -> bool:
        """Return whether it is decided; an unknown status may be open."""
        return self.status in _DECIDED


_DECIDED = frozenset({"APPROVED", "DENIED", "CASE_CLOSED", "NOT_APPROVED", "INVALID_REQUEST"})


def increase_requests(session: AwsSession, service: str, code: str) -> tuple[IncreaseRequest, ...]:
    """Return every request of the account for a quota, including decided ones.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    return tuple(
        _request(request)
        for request in session.items(
            _CLIENT,
            "ListRequestedServiceQuotaChangeHistoryByQuota",
            "RequestedQuotas",
            region=region_of(service, session.region),
            ServiceCode=service,
            QuotaCode=code,
        )
    )


def request_increase(
    session: AwsSession, service: str, code: str, desired: float
) -> IncreaseRequest:
    """Request an increase of a quota. This changes the account: a case may be opened.

    Raises
    ------
    AwsUnavailable
        The request failed; its code is `ResourceAlreadyExistsException` if a request is open.
    """
    answer = session.call(
        _CLIENT,
        "RequestServiceQuotaIncrease",
        region=region_of(service, session.region),
        ServiceCode=service,
        QuotaCode=code,
        DesiredValue=desired,
    )
    return _request(answer["RequestedQuota"])


def _request(answer: Mapping[str, Any]) -> IncreaseRequest:
    return IncreaseRequest(
        id=answer["Id"],
        status=answer["Status"],
        desired=float(answer["DesiredValue"]),
        case_id=answer.get("CaseId"),
    )

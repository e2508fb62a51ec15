"""Service Quotas: what an account may have, and what a new account has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.session import AwsSession

_CLIENT = "service-quotas"

_HOMES = {"s3": "us-east-1"}
"""Where quotas of a whole account are listed, if the cluster's region does not list them."""


@dataclass(frozen=True)
class QuotaValue:
    """One quota of one region: the account's own (`applied`) or AWS's default.

    `value` is `None` where the answer holds none, which is not the same as 0.
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
    """Every default quota of a service (`sagemaker`, `ec2`, `vpc`, `fsx`, ...).

    Raises
    ------
    AwsUnavailable
        The question was not answered; with `is_not_found` the region has no such service.
    """
    for page in session.pages(
        _CLIENT, "ListAWSDefaultServiceQuotas", region=region, ServiceCode=service
    ):
        for quota in page["Quotas"]:
            yield _value(quota, service, applied=False)


def applied_quotas(
    session: AwsSession, service: str, *, region: str | None = None
) -> Iterator[QuotaValue]:
    """Every quota of a service as this account has it.

    Quotas that were never changed may be missing from this list: their default holds.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
    """
    for page in session.pages(_CLIENT, "ListServiceQuotas", region=region, ServiceCode=service):
        for quota in page["Quotas"]:
            yield _value(quota, service, applied=True)


def quota(
    session: AwsSession, service: str, code: str, *, region: str | None = None
) -> QuotaValue | None:
    """One quota: the account's own value, else the default; `None` where AWS has no such code.

    Raises
    ------
    AwsUnavailable
        The question was not answered. A denial is never taken for "no such quota".
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


@dataclass(frozen=True)
class UsageMetric:
    """Where CloudWatch keeps the present use of a quota."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str


@dataclass(frozen=True)
class AppliedQuota:
    """What an account has been given of one quota, and where its use can be read, if anywhere."""

    value: float
    usage: UsageMetric | None
    adjustable: bool | None = None
    """Whether it is raised on request; None where the answer does not say."""


def applied_quota(session: AwsSession, service: str, code: str) -> AppliedQuota:
    """What this account has been given of one quota; never AWS's default in its place.

    Raises
    ------
    AwsUnavailable
        The question was not answered, or Service Quotas names no applied value.
    """
    answer = _applied(session, service, code)
    value = answer["Quota"].get("Value")
    if value is None:
        why = answer["Quota"].get("ErrorReason", {}).get("ErrorMessage", "the answer has no value")
        raise AwsUnavailable(
            service=_CLIENT,
            operation="GetServiceQuota",
            region=session.region,
            reason="other",
            detail=f"{service} {code}: {why}",
        )
    return AppliedQuota(
        float(value),
        _usage(answer["Quota"].get("UsageMetric") or {}),
        answer["Quota"].get("Adjustable"),
    )


def _applied(session: AwsSession, service: str, code: str) -> Mapping[str, Any]:
    """GetServiceQuota; a quota of the account is asked for where it is kept, if not here."""
    try:
        answer: Mapping[str, Any] = session.call(
            _CLIENT, "GetServiceQuota", ServiceCode=service, QuotaCode=code
        )
    except AwsUnavailable as error:
        home = _HOMES.get(service)
        if home is None or home == session.region or not is_not_found(error):
            raise
        answer = session.call(
            _CLIENT, "GetServiceQuota", region=home, ServiceCode=service, QuotaCode=code
        )
    return answer


def _usage(answer: Mapping[str, Any]) -> UsageMetric | None:
    if not answer.get("MetricNamespace") or not answer.get("MetricName"):
        return None
    return UsageMetric(
        answer["MetricNamespace"],
        answer["MetricName"],
        tuple(sorted((answer.get("MetricDimensions") or {}).items())),
        answer.get("MetricStatisticRecommendation") or "Maximum",
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
    """A request for more of a quota, as Service Quotas keeps it.

    `case_id` is that of the support case, once there is one.
    """

    id: str
    status: str
    desired: float
    case_id: str | None

    @property
    def decided(self) -> bool:
        """Whether it can no longer be granted; a status that nobody knows yet may be open."""
        return self.status in _DECIDED


_DECIDED = frozenset({"APPROVED", "DENIED", "CASE_CLOSED", "NOT_APPROVED", "INVALID_REQUEST"})


def increase_requests(session: AwsSession, service: str, code: str) -> tuple[IncreaseRequest, ...]:
    """Every request of the account for one quota in the region, decided ones included.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
    """
    return tuple(
        _request(request)
        for request in session.items(
            _CLIENT,
            "ListRequestedServiceQuotaChangeHistoryByQuota",
            "RequestedQuotas",
            ServiceCode=service,
            QuotaCode=code,
        )
    )


def request_increase(
    session: AwsSession, service: str, code: str, desired: float
) -> IncreaseRequest:
    """Asks AWS for more of a quota. This changes the account: a case may be opened.

    Raises
    ------
    AwsUnavailable
        It was not taken; its code is `ResourceAlreadyExistsException` where a request is open.
    """
    answer = session.call(
        _CLIENT,
        "RequestServiceQuotaIncrease",
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

"""Which days and dates in a rule of a lifecycle configuration S3 refuses.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
Recorded on AWS: docs/reference/probes.md, sources `localstack` and `lifecycle-messages`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_INFREQUENT: Final = frozenset({"STANDARD_IA", "ONEZONE_IA"})
_INFREQUENT_DAYS: Final = 30


def check_times(rule: Mapping[str, Any]) -> None:
    """Check the days and dates of a rule's actions, each by itself and with each other.

    Raises
    ------
    AwsError
        InvalidArgument, InvalidRequest
    """
    for problem in _numbers(rule):
        raise AwsError("InvalidArgument", problem, 400)
    expiration = rule.get("Expiration") or {}
    transitions = rule.get("Transitions") or []
    _check_classes(rule, "Transition", transitions)
    _check_mixture(rule, expiration, transitions)
    for member in ("Days", "Date"):
        _check_order(rule, member, ("Expiration", expiration), ("Transition", transitions))
    noncurrent = rule.get("NoncurrentVersionTransitions") or []
    _check_classes(rule, "NoncurrentVersionTransition", noncurrent)
    _check_order(
        rule,
        "NoncurrentDays",
        ("NoncurrentVersionExpiration", rule.get("NoncurrentVersionExpiration") or {}),
        ("NoncurrentVersionTransition", noncurrent),
    )


def _numbers(rule: Mapping[str, Any]) -> Iterator[str]:
    for action, member in (
        ("Expiration", "Days"),
        ("NoncurrentVersionExpiration", "NoncurrentDays"),
        ("AbortIncompleteMultipartUpload", "DaysAfterInitiation"),
    ):
        days = (rule.get(action) or {}).get(member)
        if days is not None and days <= 0:
            yield f"'{member}' for {action} action must be a positive integer"
    for kind, member in (
        ("Transition", "Days"),
        ("NoncurrentVersionTransition", "NoncurrentDays"),
    ):
        for each in rule.get(f"{kind}s") or []:
            days, storage = each.get(member), each.get("StorageClass")
            if days is None:
                continue
            if days < 0:
                yield f"'{member}' in {kind} action must be nonnegative"
            if storage in _INFREQUENT and days < _INFREQUENT_DAYS:
                yield (
                    f"'{member}' in {kind} action must be greater than or equal to "
                    f"{_INFREQUENT_DAYS} for storageClass '{storage}'"
                )


def _check_classes(
    rule: Mapping[str, Any], action: str, transitions: Sequence[Mapping[str, Any]]
) -> None:
    classes = [each.get("StorageClass") for each in transitions]
    if len({*classes}) < len(classes):
        raise AwsError(
            "InvalidRequest",
            f"'StorageClass' must be different for '{action}' actions in same 'Rule' with filter "
            f"'{_filter_of(rule)}'",
            400,
        )


def _check_mixture(
    rule: Mapping[str, Any],
    expiration: Mapping[str, Any],
    transitions: Sequence[Mapping[str, Any]],
) -> None:
    forms = {name for each in transitions for name in ("Days", "Date") if name in each}
    actions = "Transition"
    if len(forms) < 2 and forms:
        forms |= {name for name in ("Days", "Date") if name in expiration}
        actions = "Expiration and Transition"
    if len(forms) > 1:
        raise AwsError(
            "InvalidRequest",
            f"Found mixed 'Date' and 'Days' based {actions} actions in lifecycle rule for filter "
            f"'{_filter_of(rule)}'",
            400,
        )


def _check_order(
    rule: Mapping[str, Any],
    member: str,
    expiration: tuple[str, Mapping[str, Any]],
    transitions: tuple[str, Sequence[Mapping[str, Any]]],
) -> None:
    """Refuse an end that is not after every transition."""
    end = expiration[1].get(member)
    starts = [each[member] for each in transitions[1] if member in each]
    if end is not None and any(end <= start for start in starts):
        raise AwsError(
            "InvalidArgument",
            f"'{member}' in the {expiration[0]} action for filter '{_filter_of(rule)}' must be "
            f"greater than '{member}' in the {transitions[0]} action",
            400,
        )


def _filter_of(rule: Mapping[str, Any]) -> str:
    conditions = rule.get("Filter") or {}
    found = conditions.get("And") or conditions
    return f"(prefix={found.get('Prefix', rule.get('Prefix') or '')})"

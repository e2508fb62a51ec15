"""Which configurations of notifications S3 refuses because of each other.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
Messages: as users quote them (docs/reference/probes.md, source `overlapping-notifications`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright_localaws.core.errors import AwsError

_EVERY: Final = "*"


def check_overlaps(configurations: Iterable[Mapping[str, Any]]) -> None:
    """Check that no event of an object has two destinations, and that ids are unique.

    Raises
    ------
    AwsError
        InvalidArgument
    """
    given = list(configurations)
    names = [one["Id"] for one in given if one.get("Id")]
    if len({*names}) < len(names):
        raise _invalid("Same ID used for multiple configurations. IDs must be unique.")
    for one, other in itertools.combinations(given, 2):
        if _share_an_event(one, other) and _share_a_key(one, other):
            raise _invalid(
                "Configuration is ambiguously defined. Cannot have overlapping suffixes in two "
                "rules if the prefixes are overlapping for the same event type."
            )


def _share_an_event(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return any(
        first == second or _begins(first, second) or _begins(second, first)
        for first in one.get("Events") or ()
        for second in other.get("Events") or ()
    )


def _begins(event: str, other: str) -> bool:
    """Return whether an event is of a kind, such as s3:ObjectCreated:*, and the other of it."""
    return event.endswith(_EVERY) and other.startswith(event.removesuffix(_EVERY))


def _share_a_key(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    (prefix, suffix), (other_prefix, other_suffix) = _filter_of(one), _filter_of(other)
    prefixes = prefix.startswith(other_prefix) or other_prefix.startswith(prefix)
    return prefixes and (suffix.endswith(other_suffix) or other_suffix.endswith(suffix))


def _filter_of(configuration: Mapping[str, Any]) -> tuple[str, str]:
    key = (configuration.get("Filter") or {}).get("Key") or {}
    found = {rule["Name"].lower(): str(rule["Value"]) for rule in key.get("FilterRules") or []}
    return found.get("prefix", ""), found.get("suffix", "")


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidArgument", message, 400)

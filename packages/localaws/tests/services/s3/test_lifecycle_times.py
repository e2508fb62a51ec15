"""Tests of services.s3.lifecycle_times; those of its messages are in test_lifecycle."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.s3.lifecycle_times import check_times

_DAY = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "rule",
    [
        {"Expiration": {"Days": 31}, "Transitions": [{"Days": 30, "StorageClass": "GLACIER"}]},
        {"Expiration": {"Date": _DAY}},
        {"Transitions": [{"Days": 0, "StorageClass": "GLACIER_IR"}]},
        {
            "Expiration": {"ExpiredObjectDeleteMarker": True},
            "Transitions": [{"Date": _DAY, "StorageClass": "GLACIER"}],
        },
        # The same class for current and for noncurrent versions.
        {
            "Transitions": [{"Days": 1, "StorageClass": "GLACIER"}],
            "NoncurrentVersionTransitions": [{"NoncurrentDays": 1, "StorageClass": "GLACIER"}],
        },
    ],
)
def test_times_that_are_taken(rule: dict[str, Any]) -> None:
    check_times(rule)
    assert "Expiration" in rule or "Transitions" in rule


def test_noncurrent_days_of_infrequent_access() -> None:
    transition = {"NoncurrentDays": 29, "StorageClass": "ONEZONE_IA"}
    with pytest.raises(AwsError, match="greater than or equal to 30"):
        check_times({"NoncurrentVersionTransitions": [transition]})

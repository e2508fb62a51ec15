"""Tests of services.sagemaker.records."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from clusterwright_localaws.services.sagemaker.records import ClusterOperation, Scaling

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def test_operations_have_ids_of_their_own_and_begin_in_progress() -> None:
    first = ClusterOperation("Scaling", NOW, scalings=[Scaling("gpu", {}, {"TargetCount": 1})])
    second = ClusterOperation("DeepHealthCheck", NOW)
    assert first.id != second.id
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first.id)
    assert (first.status, first.scalings[0].status) == ("InProgress", "InProgress")
    assert second.scalings == []

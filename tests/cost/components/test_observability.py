"""Logs, alarms and Prometheus."""

from __future__ import annotations

from pathlib import Path

from clusterwright.cost.components.observability import alarm_count
from tests.support import specs
from tests.support.bills import bill_of, line


def test_every_created_file_system_has_an_alarm(tmp_path: Path) -> None:
    changes = {"storage.lustre": [specs.LUSTRE]}
    expected = alarm_count(specs.load(tmp_path, changes).cluster)
    assert line(bill_of(tmp_path, changes), "CloudWatch alarms").quantity == expected >= 1

"""Tests of services.logs.fixes.log_groups."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client


def group(name: str) -> Any:
    (found,) = client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    return found


@pytest.mark.usefixtures("aws")
def test_class_and_number_of_metric_filters() -> None:
    logs = client("logs")
    logs.create_log_group(logGroupName="/a")
    logs.create_log_group(logGroupName="/b", logGroupClass="INFREQUENT_ACCESS")
    assert (group("/a")["logGroupClass"], group("/b")["logGroupClass"]) == (
        "STANDARD",
        "INFREQUENT_ACCESS",
    )
    logs.put_metric_filter(
        logGroupName="/a",
        filterName="f",
        filterPattern="ERROR",
        metricTransformations=[{"metricName": "m", "metricNamespace": "n", "metricValue": "1"}],
    )
    assert (group("/a")["metricFilterCount"], group("/b")["metricFilterCount"]) == (1, 0)

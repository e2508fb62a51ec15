"""Placeholders of alerts."""

from __future__ import annotations

import pytest

from clusterwright.alerts.alert import filled


def test_placeholders_are_replaced() -> None:
    assert filled('up{cluster="@CLUSTER@"} * @COUNT@', {"CLUSTER": "a", "COUNT": "8"}) == (
        'up{cluster="a"} * 8'
    )


def test_a_placeholder_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="MOUNT"):
        filled("@MOUNT@", {})

"""Tests of text."""

from __future__ import annotations

import pytest
from clusterwright_metrics.text import Metrics, exposition
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.metrics.fake_node import (
    at,
    parsed,
)


@given(
    st.dictionaries(st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,9}", fullmatch=True), st.text()),
    st.floats(allow_nan=False),
    st.text(),
)
def test_labels_and_values_are_escaped(labels: dict[str, str], value: float, about: str) -> None:
    metrics = Metrics()
    # A carriage return ends a line for the reader; no value of a node has one.
    labels = {key: word.replace("\r", "") for key, word in labels.items()}
    metrics.add("some_metric", "gauge", about.replace("\r", ""), value, labels)
    assert parsed(exposition([metrics])) == {("some_metric", frozenset(labels.items())): value}


def test_families_of_two_sources_are_merged_without_duplicates() -> None:
    one, two = Metrics(), Metrics()
    one.add("a", "gauge", "About.", 1, {"x": "1"})
    one.add("b", "counter", "About.", 1)
    two.add("a", "gauge", "About.", 2, {"x": "2"})
    two.add("a", "gauge", "About.", 3, {"x": "1"})
    exposed = exposition([one, two])
    assert exposed.count("# TYPE a gauge") == 1
    assert at(parsed(exposed), "a", x="1") == 3


def test_none_is_omitted_and_an_invalid_name_is_an_error() -> None:
    metrics = Metrics()
    metrics.add("a", "gauge", "About.", None)
    assert exposition([metrics]) == ""
    with pytest.raises(ValueError, match="not the name"):
        metrics.add("a-b", "gauge", "About.", 1)

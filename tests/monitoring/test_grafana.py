"""Every dashboard of every kind of cluster, as Grafana gets it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import dashboard as models

from clusterwright.monitoring.dashboards import NAMES, complete, dashboards
from clusterwright.monitoring.grafana import DATA_SOURCE, VARIABLES, dashboard_json, uid
from clusterwright.monitoring.metrics import TARGET_LABELS, metrics
from clusterwright.monitoring.promql import grouped_labels, uses, written_labels
from tests.support.monitored_clusters import EVERY, GPUS, facts, facts_with, rendered

_CASES = [(spec, name) for spec in EVERY for name in rendered(spec)]
_UNITS = {
    "short", "percentunit", "bytes", "Bps", "s", "pps", "ops", "reqps", "watt", "celsius", "hertz",
    "currencyUSD", "flops",
}  # fmt: skip
"""Ids of Grafana's units (grafana-data, valueFormats/categories.ts; read 2026-11-23)."""
_GLOBAL = {"__rate_interval", "__range", "__range_s", "1"}


@pytest.fixture(scope="module", params=_CASES, ids=lambda case: f"{case[0]}:{case[1]}")
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    spec, name = request.param
    found: dict[str, Any] = json.loads(dashboard_json(rendered(spec)[name], facts(spec)))
    return found


def test_every_dashboard_is_rendered_for_some_cluster() -> None:
    assert {name for _, name in _CASES} == set(NAMES)


def test_document_is_one_of_the_sdk(document: dict[str, Any]) -> None:
    register_default_plugins()
    read = models.Dashboard.from_json(document)
    assert json.loads(json.dumps(read, cls=JSONEncoder)) == document


def test_panels_have_ids_texts_and_units(document: dict[str, Any]) -> None:
    ids = [panel["id"] for panel in document["panels"]]
    assert ids == list(range(1, len(ids) + 1))
    titles = set()
    row = ""
    for panel in document["panels"]:
        assert panel["title"]
        if panel["type"] == "row":
            row = panel["title"]
            continue
        assert (row, panel["title"]) not in titles
        titles.add((row, panel["title"]))
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in _UNITS, panel["title"]
        assert [target["refId"] for target in panel["targets"]] == [
            chr(65 + index) for index in range(len(panel["targets"]))
        ]


def test_panels_do_not_overlap(document: dict[str, Any]) -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in document["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, (panel["title"], taken.get((x, y)))
                taken[x, y] = panel["title"]


def test_queries_use_metrics_and_labels_that_exporters_have(document: dict[str, Any]) -> None:
    for title, expression in _expressions(document):
        known: set[str] = set(TARGET_LABELS) | written_labels(expression)
        for use in uses(expression):
            metric = metrics()[use.metric]
            assert set(use.labels) <= metric.all_labels, (title, use)
            assert "cluster" in use.labels or title == "cluster", (title, use)
            known |= metric.all_labels
        assert grouped_labels(expression) <= known, title


def test_counters_are_used_as_rates_or_since_their_start(document: dict[str, Any]) -> None:
    """A bare counter shows the age of a driver; only errors since its start are shown so."""
    for title, expression in _expressions(document):
        for use in uses(expression):
            if metrics()[use.metric].kind == "counter":
                before = expression[: expression.index(use.metric)]
                growing = re.search(r"(rate|increase)\($", before)
                assert growing or re.search("errors|faults|Remapped", title), (title, use)


def test_legends_name_labels_that_remain(document: dict[str, Any]) -> None:
    for panel in document["panels"]:
        for target in panel.get("targets", []):
            names = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            available: set[str] = set()
            for use in uses(target["expr"]):
                available |= metrics()[use.metric].all_labels
            assert names <= available, (panel["title"], target["legendFormat"])
            summed = re.match(r"(?:sum|avg|max|min|count) by \(([^)]*)\)", target["expr"])
            if summed:
                assert names <= set(re.split(r", ", summed.group(1))), panel["title"]


def test_variables_are_defined_and_used(document: dict[str, Any]) -> None:
    defined = [each["name"] for each in document["templating"]["list"]]
    assert defined[:2] == [DATA_SOURCE, "cluster"]
    text = json.dumps([panel.get("targets", []) for panel in document["panels"]])
    queries = [str(each.get("query", "")) for each in document["templating"]["list"]]
    used = set(re.findall(r"\$\{?(\w+)", text + " ".join(queries))) - _GLOBAL
    assert used == set(defined)
    [cluster] = [each for each in document["templating"]["list"] if each["name"] == "cluster"]
    assert cluster["current"]["value"] == document["uid"].removesuffix(_suffix(document))


def test_same_input_gives_the_same_bytes() -> None:
    first = [dashboard_json(each, facts(GPUS)) for each in dashboards(facts(GPUS))]
    assert first == [dashboard_json(each, facts(GPUS)) for each in dashboards(facts(GPUS))]


def test_ids_of_dashboards_are_short_and_differ_by_cluster() -> None:
    long = facts_with(frozenset(metrics()))
    for name in NAMES:
        dashboard = complete(name, long)
        assert len(uid(dashboard, long)) <= 40
        assert uid(dashboard, long) != uid(dashboard, facts(GPUS))
    assert len({uid(complete(name, long), long) for name in NAMES}) == len(NAMES)


def test_every_variable_is_of_some_dashboard() -> None:
    every = facts_with(frozenset(metrics()))
    slurm = {v for name in NAMES for v in complete(name, every).variables}
    assert slurm == set(VARIABLES)


def _suffix(document: dict[str, Any]) -> str:
    [suffix] = [
        f"-{name.replace('_', '-')}"
        for name in NAMES
        if document["uid"].endswith(f"-{name.replace('_', '-')}")
    ]
    return suffix


def _expressions(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for panel in document["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for variable in document["templating"]["list"]:
        inner = re.fullmatch(r"label_values\((.*), (\w+)\)", str(variable.get("query", "")))
        if inner is not None:
            yield variable["name"], inner.group(1)
            [use] = uses(inner.group(1))
            assert inner.group(2) in metrics()[use.metric].all_labels

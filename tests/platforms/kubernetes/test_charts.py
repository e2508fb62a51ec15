"""Charts: pinned or refused; values validated by the charts' schemas and by Helm."""

from __future__ import annotations

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.workloads import Chart
from clusterwright.platforms.kubernetes.charts import (
    UNKNOWN,
    UnknownChartError,
    listed_charts,
    pinned_charts,
    wanted_charts,
)
from clusterwright.platforms.kubernetes.value_schemas import SCHEMAS
from clusterwright.platforms.registry import PLATFORMS, traits_of
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import DIGEST, EKS
from tests.support.rich_specs import changed

CHARTS = "kubernetes__workloads__charts"


def test_chart_list_has_all_names_of_the_spec() -> None:
    names = set(Chart.model_fields["name"].annotation.__args__)  # type: ignore[union-attr]
    assert (
        set(listed_charts())
        == names
        == {chart for name in PLATFORMS for chart in traits_of(name).charts}
    )
    for chart in listed_charts().values():
        assert chart.source
        assert chart.date
        assert chart.values_schema is None or (SCHEMAS / chart.values_schema).is_file()


def test_unknown_digests_are_not_invented() -> None:
    """No chart's archive was read: adding a digest requires a change of the documentation."""
    assert {chart.sha256 for chart in listed_charts().values()} == {None}


def test_chart_without_a_digest_is_refused(load: Load) -> None:
    with pytest.raises(UnknownChartError) as raised:
        pinned_charts(load(changed(EKS, **{CHARTS: []})), load_catalog())
    assert raised.value.labels == [
        "nvidia-device-plugin (sha256)",
        "neuron-helm-chart (sha256)",
        "aws-efa-k8s-device-plugin (sha256)",
        "kueue (sha256)",
    ]


def test_digest_applies_to_one_version(load: Load) -> None:
    found = pinned_charts(load(EKS), load_catalog())
    assert [(c.name, c.version, c.sha256) for c in found] == [
        ("nvidia-device-plugin", "0.16.1", DIGEST),
        ("neuron-helm-chart", "1.2.3", DIGEST),
        ("aws-efa-k8s-device-plugin", "0.5.20", DIGEST),
        ("kueue", "0.12.3", DIGEST),
    ]
    other = load(changed(EKS, **{f"{CHARTS}__0": {"name": "kueue", "version": "0.14.0"}}))
    with pytest.raises(UnknownChartError, match=r"kueue \(sha256\)"):
        pinned_charts(other, load_catalog())
    assert UNKNOWN not in [c.sha256 for c in found]


def test_charts_depend_on_the_groups(load: Load) -> None:
    spec = changed(EKS, compute=EKS["compute"][:2], **{CHARTS: []})
    assert wanted_charts(load(spec), load_catalog()) == [
        "nvidia-device-plugin",
        "aws-efa-k8s-device-plugin",
        "kueue",
    ]

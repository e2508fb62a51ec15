"""Tests of the validation of the Grafana workspace."""

from __future__ import annotations

from clusterwright.cluster_spec.validation import grafana
from tests.support.validation import found


def test_it_requires_a_prometheus_workspace() -> None:
    message = "a Grafana workspace requires a Prometheus workspace, whose metrics it shows"
    assert found(grafana.problems, {"observability.prometheus": False}) == {
        "observability.grafana": message
    }


def test_with_one_it_passes() -> None:
    assert found(grafana.problems, {"observability.grafana.login": "saml"}) == {}

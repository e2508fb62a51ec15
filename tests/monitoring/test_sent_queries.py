"""Queries of dashboards as Grafana sends them."""

from __future__ import annotations

from clusterwright.monitoring.metrics import metrics
from clusterwright.monitoring.sent_queries import queries, without_variables
from tests.support.monitored_clusters import facts_with


def test_variables_have_their_values_of_all() -> None:
    sent = without_variables(
        'rate(a{cluster="$cluster",node=~"$node",job_id=~"$job"}[$__rate_interval])', "prod"
    )
    assert sent == 'rate(a{cluster="prod",node=~".*",job_id=~".+"}[4m])'


def test_no_variable_is_left_in_any_query() -> None:
    found = list(queries(facts_with(frozenset(metrics()))))
    assert {name.partition(":")[0] for name, _ in found} >= {"cluster", "slurm", "training_run"}
    assert any(name.endswith("$partition") for name, _ in found)
    assert not [name for name, text in found if "$" in without_variables(text, "prod")]

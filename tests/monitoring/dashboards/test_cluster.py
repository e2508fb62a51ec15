"""The dashboard of the whole cluster."""

from __future__ import annotations

from tests.support.monitored_clusters import GPUS, KUBERNETES, TRAINIUM, panels


def test_accelerators_are_those_of_the_cluster() -> None:
    gpus = panels("cluster", GPUS)["Nodes and devices: Accelerators"]
    neuron = panels("cluster", TRAINIUM)["Nodes and devices: Accelerators"]
    assert [query.legend for query in gpus.queries] == ["GPUs"]
    assert [query.legend for query in neuron.queries] == ["Neuron"]
    assert "Use: Use of GPUs" not in panels("cluster", TRAINIUM)


def test_silent_nodes_are_those_that_reported_within_a_day() -> None:
    [query] = panels("cluster", GPUS)["Nodes and devices: Silent nodes"].queries
    boot = 'node_boot_time_seconds{cluster="$cluster",group=~"$group"}'
    assert query.expression == (
        f"(count(count by (node) (last_over_time({boot}[1d]))))"
        f" - (count(count by (node) ({boot})))"
    )


def test_findings_of_programs_that_kubernetes_lacks_are_left_out() -> None:
    titles = set(panels("cluster", KUBERNETES))
    assert "Findings: Sources of metrics that fail" in titles
    assert not titles & {"Findings: Findings of health checks", "Findings: Nodes by state"}

"""The dashboard of containers and the API server."""

from __future__ import annotations

from tests.support.monitored_clusters import GPUS, KUBERNETES, panels, rendered


def test_it_exists_only_where_the_collector_runs() -> None:
    assert "kubernetes" not in rendered(GPUS)
    assert rendered(KUBERNETES)["kubernetes"].variables == ("namespace", "pod")


def test_sums_of_pods_leave_out_their_own_total() -> None:
    """cAdvisor has a series of the whole pod, whose label `container` is empty."""
    for title in ("Processors", "Memory", "Out of memory"):
        [query] = panels("kubernetes", KUBERNETES)[f"Pods: {title}"].queries
        assert 'container!=""' in query.expression, title

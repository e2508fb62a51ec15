"""The dashboard of a training run."""

from __future__ import annotations

from clusterwright.monitoring.selectors import JOB_OF_NODE
from tests.support.monitored_clusters import GPUS, KUBERNETES, TRAINIUM, panels, rendered


def test_every_panel_is_of_the_nodes_of_the_job() -> None:
    for spec in (GPUS, TRAINIUM):
        for name, panel in panels("training_run", spec).items():
            for query in panel.queries:
                own = 'partition=~"$partition",job_id=~"$job"' in query.expression
                gpus = 'gpu_job_info{cluster="$cluster",job_id=~"$job"}' in query.expression
                assert JOB_OF_NODE in query.expression or own or gpus, name


def test_on_kubernetes_it_is_of_selected_nodes() -> None:
    run = rendered(KUBERNETES)["training_run"]
    assert run.variables == ("group", "node")
    expressions = [query.expression for row in run.rows for p in row.panels for query in p.queries]
    assert expressions
    assert not any("slurm" in expression for expression in expressions)


def test_figures_of_the_output_are_shown_where_a_controller_reads_it() -> None:
    shown = {name.rpartition(": ")[2] for name in panels("training_run", GPUS)}
    for title in ("Seconds per step", "Tokens per second", "MFU", "Loss", "Restarts"):
        assert title in shown
    assert "MFU are those of" in rendered(GPUS)["training_run"].description
    assert "MFU are not exported" in rendered(KUBERNETES)["training_run"].description

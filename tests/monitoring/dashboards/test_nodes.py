"""The dashboard of nodes and accelerators."""

from __future__ import annotations

from tests.support.monitored_clusters import GPUS, TRAINIUM, panels


def test_each_cluster_has_the_rows_of_its_accelerators() -> None:
    rows = {
        spec: {name.split(":")[0] for name in panels("nodes", spec)} for spec in (GPUS, TRAINIUM)
    }
    assert rows[GPUS] == {"Host", "GPUs"}
    assert rows[TRAINIUM] == {"Host", "Neuron devices"}


def test_panels_of_dcgm_say_that_they_need_it() -> None:
    for name, panel in panels("nodes", GPUS).items():
        uses_dcgm = any("DCGM_" in query.expression for query in panel.queries)
        assert uses_dcgm == ("Needs DCGM's daemon" in panel.description), name


def test_gpus_that_only_wait_are_compared_one_by_one() -> None:
    [query] = panels("nodes", GPUS)["GPUs: work: GPUs that only wait"].queries
    assert "> 95 and on (node, gpu) DCGM_FI_PROF_PIPE_TENSOR_ACTIVE" in query.expression
    assert query.expression.endswith("or vector(0)")

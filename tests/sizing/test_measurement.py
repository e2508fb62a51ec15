"""Reading measured runs: what a report states, what stays unknown, and what is refused."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.json_output.goodput import goodput_json
from clusterwright.json_output.scaling import scaling_json
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.measurement import Measurement, Throughput, read_measurement
from clusterwright.sizing.plan_types import Layout
from tests.support.goodput_reports import report, scaling

FILE = "run.json"


def goodput(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(goodput_json(report()))
    return {**document, **changes}


DOCUMENT = goodput()


def attempt(state: str | None, last_step: int | None = 10) -> dict[str, Any]:
    return {"job_id": "7", "state": state, "last_step": last_step}


def span(begin: float, end: float, part: str, index: int) -> dict[str, Any]:
    return {"begin_s": begin, "end_s": end, "part": part, "attempt": index}


def read(document: object) -> Measurement:
    return read_measurement(document, FILE)


def test_a_goodput_report_is_read_whole() -> None:
    found = read(goodput())
    assert found.instance_type == "p5.48xlarge"
    assert found.workload.seq_len == 4096
    [rate] = found.throughputs
    assert (rate.nodes, rate.runs) == (2, 1)
    assert rate.tokens_per_second == pytest.approx(26_214.4)
    # Killed in step 27 after 400 s, resumed 900 s after the start.
    assert found.failures == 1
    assert len(found.restart_minutes) == 1
    assert 8 < found.restart_minutes[0] < 15
    assert found.saves == 4
    assert found.save_seconds == 5.0
    assert found.unknown == ()


def test_a_scaling_report_is_read_whole() -> None:
    document = json.loads(scaling_json(scaling({1: 10.0, 4: 11.0})))
    found = read(document)
    assert [one.nodes for one in found.throughputs] == [1, 4]
    assert found.failures is None
    assert found.restart_minutes == ()
    assert any("failures" in text for text in found.unknown)


def test_a_sweep_has_layouts_and_the_throughput_of_the_fastest() -> None:
    def point(tensor: int, speed: float | None, outcome: str) -> dict[str, Any]:
        layout = {"tensor": tensor, "data": 16 // tensor, "sharding": "none", "text": "..."}
        return {"layout": layout, "nodes": 2, "tokens_per_second": speed, "outcome": outcome}

    points = [
        point(8, 4e4, "measured"),
        point(4, 5e4, "measured"),
        point(2, None, "out of memory"),
        point(1, None, "failed"),
    ]
    found = read({"schema_version": 1, "command": "report layouts", "points": points})
    layout = Layout(tensor=4, data=4, sharding="none")
    assert found.throughputs == (Throughput(2, 5e4, 1, None, layout),)
    assert [(one.layout.tensor, one.tokens_per_second) for one in found.layouts] == [
        (8, 4e4),
        (4, 5e4),
        (2, None),
    ]
    assert any("failed" in text for text in found.unknown)
    assert any("checkpoints: `report layouts`" in text for text in found.unknown)


def test_the_smallest_documents_are_unknown_not_zero() -> None:
    found = read({"schema_version": 1, "command": "report goodput", "exit_code": 2})
    assert found.throughputs == ()
    assert (found.failures, found.save_seconds, found.node_days) == (None, None, None)
    assert [text.split(":")[0] for text in found.unknown] == [
        "throughput",
        "failures and restarts",
        "checkpoints",
    ]
    empty = read({"schema_version": 1, "command": "report scaling", "points": []})
    assert empty.throughputs == ()


def test_without_accounting_failures_are_unknown() -> None:
    found = read(goodput(attempts=[attempt(None), attempt(None)]))
    assert found.failures is None
    assert any("--sacct" in text for text in found.unknown)
    assert read(goodput(attempts=[attempt("REQUEUED"), attempt("COMPLETED")])).failures is None


@pytest.mark.parametrize(
    ("states", "failures"),
    [
        (["NODE_FAIL", "COMPLETED"], 1),
        (["TIMEOUT", "COMPLETED"], 0),
        (["CANCELLED by 1000"], 0),
        (["PREEMPTED", "FAILED", "RUNNING"], 1),
        # A program that started again within its job.
        (["COMPLETED", "COMPLETED"], 1),
        (["RUNNING"], 0),
    ],
)
def test_unexpected_ends_are_failures(states: list[str], failures: int) -> None:
    assert read(goodput(attempts=[attempt(state) for state in states])).failures == failures


def test_an_attempt_that_never_trained_is_no_failure_of_training() -> None:
    found = read(goodput(attempts=[attempt("FAILED", None), attempt("COMPLETED")]))
    assert found.failures == 0


def test_a_restart_lasts_from_the_last_step_to_the_next_one() -> None:
    spans = [
        span(0, 100, "productive", 0),
        span(100, 160, "down", 0),
        span(160, 280, "queue", 1),
        span(280, 340, "boot", 1),
        span(340, 400, "repeated", 1),
        span(400, 460, "down", 1),
        span(460, 500, "productive", 2),
    ]
    attempts = [attempt("NODE_FAIL"), attempt("TIMEOUT"), attempt("COMPLETED")]
    found = read(goodput(spans=spans, attempts=attempts))
    assert found.restart_minutes == (4.0,)


def test_reports_that_contradict_themselves_are_used_with_a_note() -> None:
    found = read(goodput(findings=[{"code": "steps-missing", "message": "..."}]))
    assert found.notes == ("run.json: logs and accounting contradict each other (steps-missing)",)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "not a JSON object"),
        (None, "not a JSON object"),
        ({}, "it has no `command`"),
        ({"command": "plan", "schema_version": 1}, "its `command` is 'plan'"),
        ({"command": ["report goodput"], "schema_version": 1}, "its `command` is"),
        ({"command": "report goodput"}, "schema_version is None"),
        ({"command": "report goodput", "schema_version": 2}, "schema_version is 2"),
        ({"command": "report goodput", "schema_version": True}, "schema_version is True"),
        (goodput(exit_code=3), "was not made"),
        (goodput(tokens_per_second="fast"), "tokens_per_second is 'fast', not a number"),
        (goodput(tokens_per_second=0), "tokens_per_second is 0, not positive"),
        (goodput(tokens_per_second=-1.5), "tokens_per_second is -1.5, not positive"),
        (goodput(tokens_per_second=float("nan")), "tokens_per_second is nan"),
        (goodput(tokens_per_second=10**400), "tokens_per_second is 1000"),
        (goodput(nodes=2.5), "nodes: expected an integer, got 2.5"),
        (goodput(nodes=True), "nodes is 'True', not a number"),
        (goodput(parts=[]), "parts is not an object"),
        (goodput(attempts={}), "attempts is not a list"),
        (goodput(attempts=[1]), "attempts[0] is not an object"),
        (goodput(spans=[{"part": "down"}]), "spans[0] has no begin"),
        (goodput(instance_type=5), "instance_type: expected a string, got '5'"),
        ({"command": "report scaling", "schema_version": 1, "points": [{}]}, "points[0].nodes"),
        ({"command": "report scaling", "schema_version": 1, "points": [4]}, "points[0]"),
        ({"command": "report layouts", "schema_version": 1, "points": [4]}, "points[0]"),
        (
            {"command": "report layouts", "schema_version": 1, "points": [{"nodes": 2}]},
            "points[0].layout is missing",
        ),
        (
            {
                "command": "report layouts",
                "schema_version": 1,
                "points": [{"nodes": 2, "layout": {"tensor": 1.5}}],
            },
            "points[0].layout.tensor: expected an integer, got 1.5",
        ),
    ],
)
def test_other_forms_are_refused_with_a_hint(document: object, said: str) -> None:
    with pytest.raises(GoalError) as error:
        read(document)
    assert said in error.value.message
    assert error.value.field == "measured"
    assert "report goodput" in error.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(sorted(DOCUMENT)), JSON)
def test_any_value_of_any_key_is_read_or_refused(key: str, value: object) -> None:
    rates: tuple[Throughput, ...] = ()
    with contextlib.suppress(GoalError):
        rates = read({**DOCUMENT, key: value}).throughputs
    assert all(one.tokens_per_second > 0 and one.nodes > 0 for one in rates)


def test_a_throughput_without_a_number_of_nodes_is_unknown() -> None:
    found = read(goodput(nodes=None))
    assert found.throughputs == ()
    assert f"throughput: {FILE} states no nodes" in found.unknown
    assert Throughput(2, 1.0, 1) not in found.throughputs

"""Measures of a run whose right answer is known, beside its plan; unknown stays unknown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.goodput.attempts import NamedLog
from clusterwright.goodput.report import Prices, RecordedPlan
from clusterwright.goodput.results import Workload
from clusterwright.job_logs import read_log
from clusterwright.json_output.goodput import goodput_json
from clusterwright.render.goodput import goodput_text
from clusterwright.render.goodput_html import goodput_html
from tests.support.goodput_reports import JOBS, KILLED, LAST, PLAN, START, logs, report
from tests.support.training_logs import BATCH, SEQ_LEN, WRITERS


def test_measures() -> None:
    found = report()
    m = found.measures
    assert found.parts is not None
    assert (sum(found.parts.values()), found.wall_s) == (1600.0, 1600.0)
    # 400 s productive; 1600 s, of which 510 s in the queue.
    assert (m.goodput, m.ettr) == (400 / 1090, 400 / 1600)
    assert m.tokens == 40 * BATCH * SEQ_LEN
    assert (m.tokens_per_second, m.step_seconds) == (BATCH * SEQ_LEN / 10, 10.0)
    # 42e9 FLOPs a token on 16 accelerators of 989.5e12 FLOP/s.
    assert m.mfu == pytest.approx(26_214.4 * 42e9 / (16 * 989.5e12))
    assert m.usd == pytest.approx(2 * 36 * 1090 / 3600)
    assert m.usd_per_billion_tokens == pytest.approx(21.8 / (40 * 262_144) * 1e9)
    assert (found.nodes, found.accelerators, found.exit_code) == (2, 16, 0)
    assert (found.wall_from, found.wall_to) == (START - 100, START + 1500)
    assert found.unknown == ()


def test_beside_the_plan() -> None:
    plan = report().plan
    assert plan is not None
    assert (plan.goodput.verdict, plan.mfu.verdict) == ("within", "below")
    # Many days are few tokens a second.
    assert plan.tokens_per_second.p10 == pytest.approx(1e12 / (400 * 86_400))
    assert plan.tokens_per_second.p90 == pytest.approx(1e12 / (100 * 86_400))
    assert plan.usd_per_billion_tokens.p50 == pytest.approx(200.0)
    assert plan.usd_per_billion_tokens.verdict == "above"


def test_attempts() -> None:
    found = [
        (a.job_id, a.state, a.resumed_at, a.kept_steps, a.lost_steps) for a in report().attempts
    ]
    assert found == [("7", "NODE_FAIL", 0, 20, 7), ("7", "COMPLETED", 20, 20, 0)]


def test_without_accounting_queue_and_ettr_are_unknown() -> None:
    found = report(records=None)
    assert found.measures.ettr is None
    assert [one.what for one in found.unknown] == ["queue and boot before the first line"]
    # Nodes follow from the processes of the log.
    assert (found.nodes, found.exit_code) == (2, 0)


def test_without_plan_the_mfu_is_unknown() -> None:
    found = report(plan=None)
    assert (found.plan, found.measures.mfu) == (None, None)
    assert [one.what for one in found.unknown] == ["MFU"]


def test_plan_of_another_type_gives_no_mfu() -> None:
    other = PLAN | {"candidates": [{"chosen": True, "instance_type": "p4d.24xlarge"}]}
    found = report(plan=RecordedPlan("x", other))
    assert found.measures.mfu is None
    assert found.unknown[0].reason == "the plan is for another instance type"


def test_unknown_price_and_batch() -> None:
    found = report(prices=Prices("p5.48xlarge", 8, None, "no source states it", processes=8))
    assert (found.measures.usd, found.measures.usd_per_billion_tokens) == (None, None)
    assert found.unknown[0].reason == "no source states it"
    steps = [
        NamedLog("7", read_log(f"[x] 2025-11-24 16:0{i}:00 step: {i} loss: 1.0\n")) for i in "12"
    ]
    assert report(logs=steps, records=None).measures.tokens is None


def test_sequence_length_of_the_plan_where_the_log_has_none() -> None:
    found = report(logs=logs("nemo"))
    assert found.measures.tokens == 40 * BATCH * 4096


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("hello\n", "steps"),
        ("[titan] INFO - step: 1 loss: 2.0\n[titan] INFO - step: 2 loss: 2.0\n", "times of steps"),
    ],
)
def test_logs_that_do_not_answer(text: str, what: str) -> None:
    found = report(logs=[NamedLog("x", read_log(text))], records=None)
    assert (found.parts, found.wall_s, found.exit_code) == (None, None, 2)
    assert found.unknown[0].what == what


@settings(max_examples=60)
@given(
    st.sampled_from(sorted(WRITERS)),
    st.lists(
        st.tuples(
            st.integers(0, 9000),
            st.integers(0, 40),
            st.text(max_size=4) | st.sampled_from(["9" * 12, "1e308", "9999-12-31 23:59:59", "-"]),
        ),
        max_size=8,
    ),
    st.booleans(),
)
def test_damaged_logs_give_a_report_that_adds_up(
    framework: str, damage: list[tuple[int, int, str]], accounting: bool
) -> None:
    text = WRITERS[framework](KILLED) + WRITERS[framework](LAST)
    for at, length, put in damage:
        text = text[:at] + put + text[at + length :]
    found = report(
        logs=[NamedLog("slurm-7.out", read_log(text))], records=JOBS if accounting else None
    )
    assert goodput_text(found)
    assert goodput_html(found)
    data = json.loads(goodput_json(found))
    if data["parts"] is not None:
        assert sum(data["parts"].values()) == data["wall_s"]


def test_lines_outside_every_job_are_a_finding() -> None:
    found = report(records=(JOBS[1],))
    assert [one.code for one in found.findings] == ["log-outside-jobs"]
    assert found.exit_code == 1
    assert found.parts is not None
    assert sum(found.parts.values()) == found.wall_s


def test_what_was_trained_is_stated_for_plans() -> None:
    plan = {
        **PLAN,
        "model": {"name": "llama3-8b", "params": 8.03e9},
        "precision": "bf16",
        "kind": "lora",
    }
    found = report(plan=RecordedPlan("x.plan.json", plan))
    assert found.workload == Workload("llama3-8b", 8.03e9, 4096, "bf16", "lora")
    assert (found.instance_type, found.saves) == ("p5.48xlarge", 4)
    assert found.tokens_per_step == BATCH * SEQ_LEN
    assert report().workload == Workload(None, None, 4096, None, None)
    alone = report(plan=None, logs=[NamedLog("a.out", read_log("hello"))], records=())
    assert (alone.workload, alone.saves, alone.tokens_per_step) == (None, None, None)

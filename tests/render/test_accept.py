"""The report of an acceptance run as text and JUnit."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from clusterwright.operate.acceptance_results import GroupPlan
from clusterwright.operate.results import UnknownPart
from clusterwright.render.accept import accept_junit, accept_text, plan_sentences
from tests.render.acceptance_report import BASELINE, REPORT


def test_text_shows_what_is_not_accepted_first() -> None:
    assert accept_text(REPORT) == (
        "test: acceptance, level standard, run 20261123T080000Z-1: ended\n"
        "\n"
        "1 accepted, 1 rejected, 1 unknown\n"
        "  node  verdict   action   reason\n"
        "  n1    rejected  replace  gpu-count: 7 of 8 <GPUs>\n"
        "  n3    unknown   none     the node is powered down\n"
        "\n"
        "Suspects\n"
        "  path n2, n3: bad twice\n"
        "\n"
        "Several nodes\n"
        "  test               of        nodes    verdict  value     floor    reason or source\n"
        "  cluster-allreduce  1024 MiB  4 nodes  pass     300 GB/s  238      a source\n"
        "  lustre-write       /fsx      4 nodes  unknown  –         unknown  no fio\n"
        "\n"
        "Planned\n"
        "  group    type             nodes  duration  cost\n"
        "  workers  p5.48xlarge    4 nodes  12.2 min  44.00 USD\n"
        "  more     trn1.32xlarge   1 node   4.0 min  1.44 USD\n"
        "  total                                      45.44 USD\n"
    )


def test_text_of_a_refusal_says_why() -> None:
    part = UnknownPart("the request", "the controller refused it: x", "do y")
    report = replace(
        REPORT,
        status="refused",
        nodes=(),
        suspects=(),
        cluster_checks=(),
        plan=(GroupPlan("workers", "p5.48xlarge", 4, 732, None, "no source"),),
        unknown=(part,),
    )
    text = accept_text(report)
    assert "unknown: the request: the controller refused it: x\n  hint: do y\n" in text
    assert "price unknown: no source" in text
    assert "0 accepted" not in text


def test_what_a_run_will_take_is_said_with_unknown_prices_named() -> None:
    doing = "Tests 5 nodes at level standard with pods; running jobs are not interrupted."
    assert plan_sentences(REPORT, "pods") == [doing, "Planned: 52.8 node-minutes, 45.44 USD."]
    one = replace(REPORT.plan[1], cost_usd=None, unpriced="no source")
    assert plan_sentences(replace(REPORT, plan=(REPORT.plan[0], one)), "pods") == [
        doing,
        "Planned: 52.8 node-minutes, cost unknown (more: no source).",
    ]
    assert "unknown" in plan_sentences(replace(REPORT, plan=()), "pods")[1]


def test_the_first_baseline_is_no_error_in_junit() -> None:
    root = ElementTree.fromstring(accept_junit(replace(REPORT, cluster_checks=BASELINE)))
    suite = next(one for one in root if one.get("name") == "test")
    assert (suite.get("errors"), suite.get("skipped")) == ("0", "1")


def test_junit_has_a_suite_for_each_node() -> None:
    root = ElementTree.fromstring(accept_junit(REPORT))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["n1", "n2", "n3", "test"]
    counts = [suites["n1"].get(key) for key in ("tests", "failures", "errors", "skipped")]
    assert counts == ["4", "1", "1", "1"]
    failure = suites["n1"].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "7 of 8 <GPUs>"
    error = suites["n3"].find("testcase/error")
    assert error is not None
    assert error.get("message") == "the node is powered down"
    assert [case.get("name") for case in suites["test"]] == [
        "cluster-allreduce 1024 MiB",
        "lustre-write /fsx",
        "suspect path n2, n3",
    ]
    suspect = suites["test"].find("testcase/failure")
    assert suspect is not None
    assert suspect.get("message") == "bad twice"

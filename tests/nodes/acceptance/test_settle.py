"""What the results of all nodes say together."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from clusterwright_acceptance.baseline import Baseline, from_json, is_same_subject
from clusterwright_acceptance.outcome import failed, passed, unknown
from clusterwright_acceptance.settle import settle
from clusterwright_acceptance.verdicts import Waiver

TODAY = "2026-11-23"
NAME = "nvlink-allreduce"


def result(node: str, value: float | None = None, driver: str = "570") -> dict[str, Any]:
    checks = {"versions": passed(nvidia_driver=driver)}
    if value is not None:
        checks[NAME] = unknown("no floor is known: none", value=value, unit="GB/s")
    rows = [{**one.to_json(check), "seconds": 1.0} for check, one in checks.items()]
    return {
        "name": node,
        "instance_type": "p6-b200.48xlarge",
        "verdict": "unknown",
        "checks": rows,
    }


def verdicts(found: list[dict[str, Any]]) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in found}


def test_figures_without_a_floor_are_compared_and_kept() -> None:
    nodes = [result(f"n{index}", 600.0 + index) for index in range(4)] + [result("n4", 400.0)]
    found, kept = settle(nodes, TODAY)
    assert verdicts(found) == {
        **dict.fromkeys(["n0", "n1", "n2", "n3"], "accepted"),
        "n4": "rejected",
    }
    assert found[4]["reason"] == f"{NAME}: 400 GB/s, the median of 5 nodes is 601"
    assert [row["id"] for row in found[0]["checks"]] == ["versions", NAME, "equal-versions"]
    (baseline,) = kept
    assert (baseline.check, baseline.nodes, baseline.median) == (NAME, 4, 601.5)
    assert (baseline.versions, baseline.date) == ({"nvidia_driver": "570"}, TODAY)


def test_later_run_compares_with_the_kept_baseline() -> None:
    kept = Baseline(
        NAME, "p6-b200.48xlarge", 600.0, 1.0, "GB/s", 4, {"nvidia_driver": "560"}, "2026-11-01"
    )
    found, fresh = settle([result("n0", 500.0), result("n1", 599.0)], TODAY, kept=[kept])
    assert verdicts(found) == {"n0": "rejected", "n1": "accepted"}
    assert "since then nvidia_driver 560 became 570" in found[0]["reason"]
    assert fresh == []


def test_a_baseline_of_another_number_of_ranks_is_replaced() -> None:
    """One that was kept before this number was has none."""
    kept = Baseline(NAME, "p6-b200.48xlarge", 900.0, 1.0, "GB/s", 4, {}, "2026-11-01")
    nodes = [result(f"n{index}", 600.0) for index in range(3)]
    for one in nodes:
        one["checks"][1]["facts"] = {"ranks": 32}
    found, fresh = settle(nodes, TODAY, kept=[kept, dataclasses.replace(kept, ranks=16)])
    assert set(verdicts(found).values()) == {"accepted"}
    (new,) = fresh
    assert (new.median, new.ranks) == (600.0, 32)
    assert from_json(json.loads(json.dumps(new.to_json()))) == new
    assert is_same_subject(kept, new)
    nodes[0]["checks"][1]["value"] = 500.0
    found, fresh = settle(nodes[:2], TODAY, kept=[kept, new])
    assert (verdicts(found), fresh) == ({"n0": "rejected", "n1": "accepted"}, [])


def test_facts_of_a_failed_check_say_nothing_about_other_nodes() -> None:
    """Of two nodes none has a majority: the good one would be unknown."""
    bad, good = result("n0"), result("n1")
    more = {"facts": {"cpus": 15}}
    bad["checks"].append(failed("15 CPUs", "replace", **more).to_json("cpus"))
    good["checks"].append(passed(cpus=16).to_json("cpus"))
    found, _ = settle([bad, good], TODAY)
    assert verdicts(found) == {"n0": "rejected", "n1": "accepted"}


def test_too_few_nodes_stay_unknown() -> None:
    found, kept = settle([result("n0", 600.0), result("n1", 600.0)], TODAY)
    assert verdicts(found) == {"n0": "unknown", "n1": "unknown"}
    assert kept == []


def test_node_with_another_version_is_rejected() -> None:
    found, _ = settle([result("n0"), result("n1"), result("n2", driver="580")], TODAY)
    assert verdicts(found) == {"n0": "accepted", "n1": "accepted", "n2": "rejected"}
    assert found[2]["action"] == "report"


def test_waivers_apply_to_what_the_comparison_decides() -> None:
    waiver = Waiver("equal-versions", "rolling update", "2026-12-01", ("n2",))
    nodes = [result("n0"), result("n1"), result("n2", driver="580")]
    found, _ = settle(nodes, TODAY, [waiver])
    assert verdicts(found)["n2"] == "accepted"
    # Settled results can be settled again, also after the waiver has gone.
    again, _ = settle(found, TODAY, [waiver])
    assert verdicts(again)["n2"] == "accepted"
    assert verdicts(settle(found, TODAY)[0])["n2"] == "rejected"


def test_outcomes_of_several_nodes_are_added() -> None:
    more = {"pairs": {"n0": failed("bad with n1, n2", "check"), "n9": passed()}}
    found, _ = settle([result("n0"), result("n1")], TODAY, more=more)
    assert verdicts(found) == {"n0": "rejected", "n1": "accepted"}
    assert found[0]["reason"] == "pairs: bad with n1, n2"


def test_waived_figure_of_a_node_is_compared_as_it_was() -> None:
    row = result("n0", 600.0)
    row["checks"][1].update(
        verdict="waived", reason="unknown: no floor is known: none; waived until 2026-12-01: why"
    )
    found, kept = settle([row, result("n1", 600.0), result("n2", 600.0)], TODAY)
    assert verdicts(found)["n0"] == "accepted"
    assert kept[0].nodes == 3


def test_waivers_of_a_node_come_with_its_result() -> None:
    waiver = {"check": "equal-versions", "reason": "rolling update", "expires": TODAY}
    odd = result("n2", driver="580")
    for waivers, verdict in (
        ([waiver], "accepted"),
        ([{**waiver, "expires": "2026-11-22"}], "rejected"),
        ([{**waiver, "nodes": ["n1"]}], "rejected"),
        ([{"check": "equal-versions"}], "rejected"),
    ):
        found, _ = settle([result("n0"), result("n1"), {**odd, "waivers": waivers}], TODAY)
        assert verdicts(found)["n2"] == verdict

"""Changes of the spec: values, groups of nodes, gates."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.models.operations import Allowance
from clusterwright.cost.bill import Gate
from clusterwright.preflight.results import CheckResult, Finding, Waived
from clusterwright.review.findings_delta import findings_delta
from clusterwright.review.gates import (
    Allowances,
    budget_gates,
    finding_gates,
    job_gates,
    replacement_gates,
)
from clusterwright.review.node_changes import groups_of_spec, nodes_changes
from clusterwright.review.results import ResourceChange
from clusterwright.review.spec_diff import spec_changes
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def paths(before: Any, after: Any) -> dict[str, tuple[Any, Any]]:
    return {c.path: (c.before, c.after) for c in spec_changes(before, after)}


def test_items_with_names_are_matched_by_name() -> None:
    one, two = {"name": "a", "count": 1}, {"name": "b", "count": 2}
    before = {"compute": [one, two]}
    assert paths(before, {"compute": [one, {**two, "count": 3}]}) == {"compute[b].count": (2, 3)}
    assert paths(before, {"compute": [two]}) == {"compute[a]": (one, None)}
    assert paths(before, {"compute": [two, one]}) == {"compute (order)": (["a", "b"], ["b", "a"])}


def test_keys_that_one_platform_lacks_and_that_say_nothing_are_no_change() -> None:
    assert paths({"a": {"ebs": None}}, {"a": {}}) == {}
    assert paths({"a": {}}, {"a": {"ebs": None, "labels": {}}}) == {"a.labels": (None, {})}


def test_values_of_another_kind_and_lists_of_scalars() -> None:
    assert paths({"x": 1}, {"x": True}) == {"x": (1, True)}
    assert paths({"x": 1}, {"x": 1.0}) == {}
    assert paths({"x": ["a"]}, {"x": ["a", "b"]}) == {"x": (["a"], ["a", "b"])}
    assert paths({}, {"x": {"y": 1}}) == {"x": (None, {"y": 1})}
    assert paths({"x": [{"a": 1}]}, {"x": [{"a": 2}]}) == {"x[0].a": (1, 2)}


def cluster(**changes: Any) -> Cluster:
    data = specs.changed({key.replace("__", "."): value for key, value in changes.items()})
    return Cluster.model_validate(data | {"partition": "aws"})


def nodes(**changes: Any) -> list[Any]:
    return nodes_changes(groups_of_spec(cluster()), groups_of_spec(cluster(**changes)))


def test_more_nodes_leave_those_there_are() -> None:
    (change,) = nodes(compute__1__count=8)
    assert (change.change, change.jobs, change.whole_group) == ("grown", "none", False)


def test_fewer_nodes_end_jobs_but_not_all() -> None:
    (change,) = nodes(compute__1__count=2)
    assert (change.change, change.jobs, change.whole_group) == ("shrunk", "die", False)
    assert "HyperPod selects them" in change.message


def test_a_new_name_is_a_new_group_and_the_old_one_goes() -> None:
    gone, new = nodes(compute__1__name="gpus")
    assert (gone.change, gone.whole_group, new.change) == ("removed", True, "added")
    assert "cannot be renamed" in gone.message


@pytest.mark.parametrize(
    "changes",
    [
        {"compute__1__instance_type": "p5en.48xlarge"},
        {"image__release_version": "1.0.1"},
        {"compute__1__threads_per_core": 1},
        {"compute__1__mig_profile": "all-1g.10gb"},
        {"compute__1__restricted": True},
        {"compute__1__taints": [{"key": "team", "effect": "NoExecute"}]},
    ],
)
def test_what_replaces_every_node(changes: dict[str, Any]) -> None:
    found = [change for change in nodes(**changes) if change.group == "workers"]
    assert [(c.change, c.jobs, c.whole_group) for c in found] == [("replaced", "die", True)]


@pytest.mark.parametrize(
    "changes",
    [
        {"compute__1__taints": [{"key": "team", "effect": "NoSchedule"}]},
        {"compute__1__labels": {"team": "research"}},
    ],
)
def test_labels_and_other_taints_leave_jobs_alone(changes: dict[str, Any]) -> None:
    assert nodes(**changes) == []


REPLACED = ResourceChange(
    stack="a", logical_id="Fs", type="AWS::FSx::FileSystem", effect="replace", action="replace",
    holds="files", data_loss=True, outcome="lost: files",
)  # fmt: skip


def allowances(**entry: Any) -> Allowances:
    given = {"resource": "a/Fs", "reason": "it is copied already", **entry}
    return Allowances([Allowance(**given)], TODAY)


def test_a_replacement_fails_unless_it_is_named() -> None:
    (gate,) = replacement_gates([REPLACED], Allowances([], TODAY))
    assert gate.status == "fail"
    assert gate.hint is not None
    assert "a/Fs" in gate.hint
    (gate,) = replacement_gates([REPLACED], allowances())
    assert (gate.status, "it is copied already" in gate.message) == ("allowed", True)
    (gate,) = replacement_gates([REPLACED], allowances(resource="a/Other"))
    assert gate.status == "fail"


def test_an_allowance_ends() -> None:
    over = allowances(expires=dt.date(2026, 11, 19))
    (gate,) = replacement_gates([REPLACED], over)
    assert gate.status == "fail"
    assert [gate.gate for gate in over.gates()] == ["allowance"]
    last_day = allowances(expires=TODAY)
    assert [gate.status for gate in replacement_gates([REPLACED], last_day)] == ["allowed"]


def test_jobs_of_a_whole_group_are_allowed_by_the_group() -> None:
    changes = nodes(compute__1__name="gpus")
    assert [g.status for g in job_gates(changes, Allowances([], TODAY))] == ["fail"]
    named = allowances(resource="compute[workers]")
    assert [g.status for g in job_gates(changes, named)] == ["allowed"]
    assert named.unused() == []


def test_budgets_pass_through() -> None:
    limit = Gate("budget.max_increase_percent", None, Decimal(1), Decimal(2), "fail", "too much")
    (gate,) = budget_gates([limit])
    assert (gate.status, gate.name) == ("fail", "budget.max_increase_percent")


def finding(
    rule: str, message: str = "m", path: str = "compute[1]", severity: Any = "error"
) -> Finding:
    return Finding(rule=rule, severity=severity, path=path, message=message)


def test_findings_are_new_fixed_or_standing(tmp_path: Path) -> None:
    waived = Waived(finding=finding("CW-N003"), reason="agreed with them", expires=TODAY)
    before = CheckResult(
        "f", "e", (), (finding("CW-A001"), finding("CW-A002"), finding("CW-N003"))
    )
    after = CheckResult(
        "f", "e", (), (finding("CW-A002"), finding("CW-A003"), finding("CW-A001", "worse")),
        waived=(waived,),
    )  # fmt: skip
    spec = specs.load(tmp_path)
    found = findings_delta(before, after, base=spec, change=spec)
    assert [f.rule for f in found.new] == ["CW-A003", "CW-A001"]
    assert [f.rule for f in found.standing] == ["CW-A002"]
    assert found.fixed == ()
    assert [w.finding.rule for w in found.waived] == ["CW-N003"]
    assert len(list(finding_gates(found, "error"))) == 2


def test_a_group_that_moves_keeps_its_findings(tmp_path: Path) -> None:
    one = specs.load(tmp_path)
    data = specs.changed({})
    two = specs.load(tmp_path, {"compute": list(reversed(data["compute"]))})
    before = CheckResult("f", "e", (), (finding("CW-A001", path="compute[1].count"),))
    after = CheckResult("f", "e", (), (finding("CW-A001", path="compute[0].count"),))
    assert findings_delta(before, after, base=one, change=two).new == ()

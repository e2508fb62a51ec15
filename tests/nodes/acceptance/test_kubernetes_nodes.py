"""The taint and the annotation of nodes of Kubernetes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from clusterwright_acceptance import kubernetes_nodes as nodes

from tests.nodes.acceptance.fake_kubernetes import GROUPS, node

OTHER = {"key": "nvidia.com/gpu", "effect": "NoSchedule"}


def taint(value: str = "pending") -> dict[str, str]:
    return {"key": nodes.TAINT, "value": value, "effect": "NoSchedule"}


def recorded(one: Any, state: str, boot: str = "boot-1", at: int = 1000) -> Any:
    value = {"state": state, "boot_id": boot, "at": at}
    one["metadata"]["annotations"] = {nodes.ANNOTATION: json.dumps(value)}
    return one


def result(verdict: str, **more: Any) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "reason": "why",
        "action": "none",
        "checks": [{"id": "xid"}],
        "boot_id": "boot-1",
        **more,
    }


def test_nodes_of_the_groups_are_listed() -> None:
    strange = {"metadata": {"name": "c", "labels": {"a": "b"}}}
    every = [node("a"), node("b", ready=False), strange]
    found = nodes.listed(every, GROUPS)
    assert [(one.name, one.partition, one.why_not) for one in found] == [
        ("a", "workers", None),
        ("b", "workers", "the node is not ready"),
    ]
    (missing,) = nodes.listed(every, GROUPS, ["c"])
    assert missing.why_not == "Kubernetes has no compute node of this name"


def test_a_node_without_a_result_of_its_boot_is_held() -> None:
    patch = nodes.hold_patch(node("a", OTHER))
    assert patch is not None
    assert patch["spec"]["taints"] == [OTHER, taint()]
    assert patch["metadata"] == {"resourceVersion": "1"}


@pytest.mark.parametrize(
    ("one", "wanted"),
    [
        (recorded(node("a"), "accepted"), None),
        (recorded(node("a"), "accepted", boot="boot-0"), ["pending"]),
        (recorded(node("a"), "rejected"), ["pending"]),
        (recorded(node("a", ready=False), "accepted"), ["away"]),
        (node("a", ready=False), ["pending"]),
        # It was accepted and away: it is opened if it is back as the same boot, and tested else.
        (recorded(node("a", taint("away")), "accepted"), []),
        (recorded(node("a", taint("away"), ready=False), "accepted"), None),
        (recorded(node("a", taint("away"), ready=False), "accepted", boot="boot-0"), None),
        (recorded(node("a", taint("away")), "accepted", boot="boot-0"), ["pending"]),
        # The results of tests stay.
        (node("a", taint()), None),
        (recorded(node("a", taint("rejected"), ready=False), "rejected"), None),
        (recorded(node("a", taint("unknown")), "accepted"), None),
    ],
)
def test_the_taint_follows_readiness_and_boot(one: Any, wanted: list[str] | None) -> None:
    patch = nodes.hold_patch(one)
    values = None if patch is None else [each["value"] for each in patch["spec"]["taints"]]
    assert values == wanted


@pytest.mark.parametrize(
    ("one", "due"),
    [
        (node("a", taint()), True),
        (recorded(node("a"), "accepted"), False),
        (recorded(node("a", taint()), "accepted"), True),
        (recorded(node("a", taint("away")), "accepted"), False),
        (recorded(node("a", taint("away")), "accepted", boot="boot-0"), True),
        (recorded(node("a", taint("rejected")), "rejected"), False),
        (recorded(node("a", taint("rejected")), "rejected", at=-1000), True),
        (recorded(node("a", taint("rejected")), "rejected", boot="boot-0"), True),
    ],
)
def test_which_nodes_are_tested_now(one: Any, due: bool) -> None:
    assert nodes.is_due(one, 1500.0) is due


@pytest.mark.parametrize(
    ("verdict", "taints"),
    [
        ("accepted", [OTHER]),
        ("rejected", [OTHER, taint("rejected")]),
        ("unknown", [OTHER, taint("unknown")]),
    ],
)
def test_the_result_decides_the_taint(verdict: str, taints: list[dict[str, str]]) -> None:
    one = node("a", OTHER, taint())
    patch = nodes.result_patch(one, result(verdict), "quick", "r", 5.0, hold=True)
    assert patch is not None
    assert patch["spec"]["taints"] == taints
    assert json.loads(patch["metadata"]["annotations"][nodes.ANNOTATION]) == {
        "state": verdict,
        "reason": "why",
        "action": "none",
        "level": "quick",
        "run": "r",
        "at": 5,
        "boot_id": "boot-1",
    }
    without = nodes.result_patch(one, result(verdict), "quick", "r", 5.0, hold=False)
    assert without is not None
    assert "spec" not in without


def test_an_accepted_node_that_is_away_meanwhile_is_not_opened() -> None:
    one = node("a", taint(), ready=False)
    patch = nodes.result_patch(one, result("accepted"), "quick", "r", 5.0, hold=True)
    assert patch is not None
    assert patch["spec"]["taints"] == [taint("away")]


def test_a_result_of_another_boot_and_an_untested_node_change_nothing() -> None:
    one = node("a", taint())
    for other in (result("accepted", boot_id="boot-0"), result("unknown", checks=[])):
        assert nodes.result_patch(one, other, "quick", "r", 5.0, hold=True) is None


def test_a_node_keeps_its_result_where_a_test_did_not_start() -> None:
    one = result("unknown", keeps_state=True)
    accepted = recorded(node("a"), "accepted")
    assert nodes.result_patch(accepted, one, "standard", "r", 5.0, hold=True) is None
    patch = nodes.result_patch(node("a", taint()), one, "standard", "r", 5.0, hold=True)
    assert patch is not None
    assert patch["spec"]["taints"] == [taint("unknown")]


@pytest.mark.parametrize("state", ["rejected", "unknown"])
def test_a_test_that_does_not_start_is_not_repeated_at_once(state: str) -> None:
    held = recorded(node("a", taint(state)), state)
    one = result("unknown", keeps_state=True)
    patch = nodes.result_patch(held, one, "standard", "r", 9000.0, hold=True)
    assert patch is not None
    assert patch["spec"]["taints"] == [taint(state)]
    held["metadata"]["annotations"] = patch["metadata"]["annotations"]
    assert nodes.recorded(held)["state"] == state
    assert not nodes.is_due(held, 9000.0 + nodes.AGAIN_SECONDS - 1)
    assert nodes.is_due(held, 9000.0 + nodes.AGAIN_SECONDS)


def test_damaged_annotations_are_no_result() -> None:
    one = node("a")
    for text in ("{", "[]", "null"):
        one["metadata"]["annotations"] = {nodes.ANNOTATION: text}
        assert nodes.recorded(one) == {}

"""The result of HyperPod's deep health check on the node."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from clusterwright_acceptance.checks import deep_health_check
from clusterwright_acceptance.checks.deep_health_check import LOG

from tests.nodes.acceptance.fake_node import Node

PASSED = "2026-11-23T08:00:00Z  info  InstanceStress success"
BANDWIDTH = (
    "Bandwidth has less than threshold: Expected minimum threshold :80,NCCL Test output Bw: 30"
)


def faulty(action: str) -> str:
    text = (
        f"Encountered FaultyInstance. {action} the Instance. Region: us-east-1, "
        f"InstanceType: ml.p5.48xlarge. ERROR:{BANDWIDTH}"
    )
    return json.dumps({"level": "error", "ts": "2026-11-23T08:10:00Z", "msg": text})


def test_without_a_result_it_is_skipped(node: Node) -> None:
    assert node.look("deep-health-check").verdict == "skipped"
    node.write(LOG, "2026-11-23T08:00:00Z  info  InstanceStress started\n")
    assert node.look("deep-health-check").verdict == "skipped"


@pytest.mark.parametrize("action", ["Reboot", "Replace"])
def test_a_faulty_instance_is_rejected_with_hyperpods_action(node: Node, action: str) -> None:
    node.write(LOG, f"{PASSED}\n{faulty(action)}\n")
    found = node.look("deep-health-check")
    assert (found.verdict, found.action) == ("fail", action.lower())
    assert found.reason == f"HyperPod: {BANDWIDTH}"


@pytest.mark.parametrize(
    ("action", "booted", "verdict"),
    [
        ("Reboot", "2026-11-23T08:30:00Z", "skipped"),
        ("Reboot", "2026-11-23T08:00:00Z", "fail"),
        ("Replace", "2026-11-23T08:30:00Z", "fail"),
    ],
)
def test_a_reboot_that_has_happened_is_not_asked_for_again(
    node: Node, action: str, booted: str, verdict: str
) -> None:
    seconds = int(dt.datetime.fromisoformat(booted).timestamp())
    node.write("/proc/stat", f"cpu 1 2 3\nbtime {seconds}\nprocesses 9\n")
    node.write(LOG, f"{faulty(action)}\n")
    assert node.look("deep-health-check").verdict == verdict


def test_the_newest_result_decides(node: Node) -> None:
    node.write(LOG, f"{faulty('Reboot')}\n{PASSED}\n2026-11-23T09:00:00Z  info  done\n")
    assert node.look("deep-health-check").verdict == "pass"


def test_only_types_with_accelerators_have_it(node: Node) -> None:
    node.expect(kind="none")
    assert deep_health_check.applies(node.expected) == "the type has no accelerators"

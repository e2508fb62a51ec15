"""The controller's pod: nodes are tested, results are written, the taint is removed."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import kubernetes_nodes
from clusterwright_acceptance.kubernetes_api import KubernetesError
from clusterwright_acceptance.kubernetes_program import KubernetesRun
from clusterwright_acceptance.outcome import Outcome, failed, passed

from tests.nodes.acceptance.fake_kubernetes import NAMESPACE, Answer, FakeKubernetes, node

NOW = 1_795_420_800.0
HOUR = 3600.0
PENDING = {"key": kubernetes_nodes.TAINT, "value": "pending", "effect": "NoSchedule"}


def prints(name: str, boot: str = "boot-1", **outcomes: Outcome) -> Answer:
    """What `clusterwright_acceptance node` prints on a node."""
    bad = [one for one in outcomes.values() if one.verdict == "fail"]
    result = {
        "schema_version": 1,
        "name": name,
        "group": "workers",
        "instance_id": f"i-{name}",
        "instance_type": "p5.48xlarge",
        "boot_id": boot,
        "run": "r",
        "level": "quick",
        "verdict": "rejected" if bad else "accepted",
        "reason": bad[0].reason if bad else "",
        "action": bad[0].action if bad else "none",
        "waivers": [],
        "started_at": "2026-11-23T08:00:00Z",
        "ended_at": "2026-11-23T08:00:10Z",
        "checks": [
            {**one.to_json(key.replace("_", "-")), "seconds": 0.1} for key, one in outcomes.items()
        ],
    }
    return 1 if bad else 0, json.dumps(result, indent=2), "gpu-count: pass"


def controller(
    api: FakeKubernetes, folder: Path, *, hold: bool = True, **more: Any
) -> KubernetesRun:
    return KubernetesRun(
        api,
        namespace=NAMESPACE,
        folder=folder,
        level="quick",
        hold=hold,
        say=lambda _: None,
        clock=more.pop("clock", lambda: NOW),
        **more,
    )


def healthy(name: str, _: list[str]) -> Answer | None:
    return prints(name, gpu_count=passed(count=8))


def report_of(api: FakeKubernetes, name: str) -> dict[str, Any]:
    packed = base64.b64decode(api.maps[name]["binaryData"]["report.json.gz"])
    return dict(json.loads(gzip.decompress(packed)))


def test_accepted_nodes_lose_the_taint_and_others_keep_it(tmp_path: Path) -> None:
    def program(name: str, words: list[str]) -> Answer | None:
        if name == "c":
            return prints(name, gpu_count=failed("7 GPUs, p5.48xlarge has 8", "replace"))
        return healthy(name, words)

    api = FakeKubernetes([node(name, PENDING) for name in "abc"], program)
    report = controller(api, tmp_path).held()
    assert report is not None
    assert api.taints() == {"a": [], "b": [], "c": ["rejected"]}
    (name,) = [name for name in api.maps if name.startswith("run-held-")]
    assert report_of(api, name) == report
    assert {one["name"]: one["verdict"] for one in report["nodes"]} == {
        "a": "accepted",
        "b": "accepted",
        "c": "rejected",
    }
    value = json.loads(api.nodes["c"]["metadata"]["annotations"][kubernetes_nodes.ANNOTATION])
    assert (value["state"], value["action"]) == ("rejected", "replace")
    assert value["reason"].endswith("7 GPUs, p5.48xlarge has 8")
    assert controller(api, tmp_path / "later").held() is None


def test_a_node_that_has_booted_since_is_held_and_tested_again(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def program(name: str, words: list[str]) -> Answer | None:
        seen.append(api.taints()[name])
        boot = api.nodes[name]["status"]["nodeInfo"]["bootID"]
        return prints(name, boot, gpu_count=passed(count=8))

    api = FakeKubernetes([node("a", PENDING)], program)
    controller(api, tmp_path / "1").held()
    api.nodes["a"]["status"]["nodeInfo"]["bootID"] = "boot-2"
    controller(api, tmp_path / "2").held()
    assert seen == [["pending"], ["pending"]]
    assert api.taints() == {"a": []}


def test_a_refused_change_of_one_node_keeps_no_other_from_its_own(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a"), node("b"), node("c", PENDING)], healthy)
    api.refused = {"a"}
    with pytest.raises(KubernetesError, match="failed calling webhook"):
        controller(api, tmp_path / "1").held()
    assert api.taints() == {"a": [], "b": [], "c": []}
    with pytest.raises(KubernetesError, match="failed calling webhook"):
        controller(api, tmp_path / "2").run("r1")
    annotated = {name for name, one in api.nodes.items() if "annotations" in one["metadata"]}
    assert annotated == {"b", "c"}


def test_a_node_that_is_back_as_the_accepted_boot_is_opened_without_a_test(
    tmp_path: Path,
) -> None:
    api = FakeKubernetes([node("a", PENDING)], healthy)
    controller(api, tmp_path / "1").held()
    api.created.clear()
    api.nodes["a"]["status"]["conditions"][0]["status"] = "Unknown"
    assert controller(api, tmp_path / "2").held() is None
    assert api.taints() == {"a": ["away"]}
    api.nodes["a"]["status"]["conditions"][0]["status"] = "True"
    assert controller(api, tmp_path / "3").held() is None
    assert api.taints() == {"a": []}
    assert api.created == []


def test_a_node_that_cannot_be_tested_stays_held(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a", PENDING), node("b", PENDING, ready=False)], healthy)
    api.program = lambda *_: (127, "", "python3: not found")
    report = controller(api, tmp_path).held()
    assert report is not None
    assert [(one["name"], one["verdict"]) for one in report["nodes"]] == [("a", "unknown")]
    assert api.taints() == {"a": ["pending"], "b": ["pending"]}


def accepted(api: FakeKubernetes, folder: Path, *names: str, at: float = NOW) -> None:
    controller(api, folder, hold=False, clock=lambda: at).run("first", names)
    api.created.clear()


@pytest.mark.parametrize("hold", [True, False])
def test_accepted_nodes_are_tested_again_at_the_lowest_priority(
    tmp_path: Path, hold: bool
) -> None:
    api = FakeKubernetes([node(name) for name in "abcd"], healthy)
    accepted(api, tmp_path / "1", "a", "b", "c", at=NOW - 200 * HOUR)
    accepted(api, tmp_path / "2", "d", at=NOW - 300 * HOUR)
    api.nodes["c"]["spec"]["unschedulable"] = True

    def again(folder: str, at: float) -> set[str]:
        one = controller(
            api, tmp_path / folder, hold=hold, recheck_seconds=168 * HOUR, clock=lambda: at
        )
        report = one.held()
        return {row["name"] for row in report["nodes"]} if report else set()

    # Half of the three that are accepted and open, the oldest test first.
    assert again("3", NOW) == {"d"}
    pods = [job["spec"]["template"]["spec"] for job in api.created]
    assert {pod["priorityClassName"] for pod in pods} == {"clusterwright-acceptance-recheck"}
    assert [again(str(4 + turn), NOW + turn) for turn in (1, 2, 3)] == [{"a"}, {"b"}, set()]
    assert again("9", NOW + 169 * HOUR) == {"d"}
    assert api.taints() == {name: [] for name in "abcd"}


def test_a_node_that_is_rejected_again_is_held(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a")], healthy)
    accepted(api, tmp_path / "1", "a", at=NOW - 200 * HOUR)
    api.program = lambda name, _: prints(name, xid=failed("Xid 79", "reboot"))
    controller(api, tmp_path / "2", recheck_seconds=168 * HOUR).held()
    assert api.taints() == {"a": ["rejected"]}


def test_a_test_that_ends_for_a_users_pod_says_nothing(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a")], healthy)
    accepted(api, tmp_path / "1", "a", at=NOW - 200 * HOUR)
    before = dict(api.nodes["a"]["metadata"]["annotations"])
    real = api._pod

    def preempted(*words: Any) -> dict[str, Any]:
        pod = real(*words)
        condition = {"type": "DisruptionTarget", "status": "True"}
        pod["status"] = {"phase": "Failed", "conditions": [condition]}
        return pod

    api._pod = preempted  # type: ignore[method-assign]
    report = controller(api, tmp_path / "2", recheck_seconds=168 * HOUR).held()
    assert report is not None
    assert report["reason"].startswith("stopped: a pod of the test was ended")
    assert [one["verdict"] for one in report["nodes"]] == ["unknown"]
    assert api.taints() == {"a": []}
    assert api.nodes["a"]["metadata"]["annotations"] == before
    # Not again at once.
    assert controller(api, tmp_path / "3", recheck_seconds=168 * HOUR).held() is None


def test_without_the_hold_only_the_result_is_written(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a")], lambda name, _: prints(name, xid=failed("Xid 79", "reboot")))
    report = controller(api, tmp_path, hold=False).run("20261123T080000Z-1", ["a"])
    assert report["nodes"][0]["verdict"] == "rejected"
    assert api.taints() == {"a": []}
    assert kubernetes_nodes.ANNOTATION in api.nodes["a"]["metadata"]["annotations"]
    assert "run-20261123t080000z-1" in api.maps


def test_changes_of_others_meanwhile_are_kept(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a", PENDING)], healthy)

    def program(name: str, words: list[str]) -> Answer | None:
        api.nodes["a"]["spec"]["taints"].append({"key": "x", "value": "y", "effect": "NoSchedule"})
        api.nodes["a"]["metadata"]["resourceVersion"] = "9"
        api.conflicts = 2
        return healthy(name, words)

    api.program = program
    controller(api, tmp_path).held()
    assert api.taints() == {"a": ["y"]}


def test_old_reports_are_deleted_and_baselines_kept(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a")], healthy)
    for number in range(25):
        api.maps[f"run-{number:02}"] = {
            "metadata": {
                "name": f"run-{number:02}",
                "labels": {"clusterwright.dev/acceptance-run": "true"},
                "creationTimestamp": f"2026-11-{number + 1:02}",
            }
        }
    controller(api, tmp_path).run("z", ["a"])
    runs = sorted(name for name in api.maps if name.startswith("run-"))
    assert len(runs) == 20
    assert "baselines" in api.maps


def test_a_run_needs_a_name(tmp_path: Path) -> None:
    api = FakeKubernetes([node("a")], healthy)
    with pytest.raises(ValueError, match="--run"):
        controller(api, tmp_path).run("")

"""The histories of nodes of Kubernetes: what counts, what follows, and where it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance import kubernetes_histories as histories
from clusterwright_acceptance.kubernetes_api import KubernetesError
from clusterwright_acceptance.kubernetes_maps import Maps
from clusterwright_acceptance.kubernetes_program import KubernetesRun
from clusterwright_acceptance.outcome import failed, passed
from clusterwright_common import lemon

from clusterwright.cluster_state import kubernetes_view
from tests.nodes.acceptance.fake_kubernetes import NAMESPACE, Answer, FakeKubernetes, node

NOW = 1_795_420_800.0
DAY = 86_400.0
REASON = "xid: 79 on 0000:b9:00"


def result(name: str, boot: str, instance: str, faulty: bool) -> Answer:
    outcome = failed(REASON, "reboot") if faulty else passed(count=8)
    content = {
        "name": name,
        "group": "workers",
        "instance_id": instance,
        "instance_type": "p5.48xlarge",
        "boot_id": boot,
        "verdict": "rejected" if faulty else "accepted",
        "reason": REASON if faulty else "",
        "action": "reboot" if faulty else "none",
        "waivers": [],
        "ended_at": "2026-11-23T08:00:10Z",
        "checks": [{**outcome.to_json("gpu-count"), "seconds": 0.1}],
    }
    return int(faulty), json.dumps(content), "gpu-count"


class Cluster:
    """Nodes of which `faulty` fail their test."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.api = FakeKubernetes([node(name) for name in names or ("a",)], self._program)
        self.faulty: set[str] = set()
        self._folder, self._pods = folder, 0

    def _program(self, name: str, words: list[str]) -> Answer:
        one = self.api.nodes[name]
        boot = one["status"]["nodeInfo"]["bootID"]
        return result(name, boot, str(histories.instance_of(one)), name in self.faulty)

    def controller(self, now: float, *, hold: bool = True) -> KubernetesRun:
        """Each run is a pod, with a folder that is empty."""
        self._pods += 1
        folder = self._folder / f"pod-{self._pods}"
        run = KubernetesRun(self.api, NAMESPACE, folder, "quick", hold, lambda _: None)
        run.clock = lambda: now
        return run

    def reboot(self, name: str = "a") -> None:
        info = self.api.nodes[name]["status"]["nodeInfo"]
        info["bootID"] = f"{info['bootID']}-again"

    def kinds(self, name: str = "a") -> list[str]:
        book = histories.load(Maps(self.api, NAMESPACE)).book
        return [one.kind for one in lemon.history(book, name)]

    def annotation(self, name: str = "a") -> dict[str, Any] | None:
        found = self.api.nodes[name]["metadata"].get("annotations", {}).get(histories.ANNOTATION)
        return None if found is None else dict(json.loads(found))

    def action(self, name: str = "a") -> str:
        text = self.api.nodes[name]["metadata"]["annotations"]["clusterwright.dev/acceptance"]
        return str(json.loads(text)["action"])


def test_a_fault_after_a_reboot_that_answered_one_is_answered_with_a_replacement(
    tmp_path: Path,
) -> None:
    cluster = Cluster(tmp_path)
    cluster.faulty = {"a"}
    cluster.controller(NOW).held()
    assert cluster.action() == "reboot"
    assert cluster.annotation() == {
        "instance_id": "i-a",
        "is_lemon": False,
        "advice": "reboot",
        "reason": "no earlier fault that matters",
        "events": [
            {
                "at": "2026-11-23T08:00:00Z",
                "kind": "rejected",
                "detail": f"gpu-count: {REASON}",
            }
        ],
    }
    cluster.reboot()
    cluster.controller(NOW + 600).held()
    assert cluster.kinds() == ["rejected", "rebooted"]
    assert cluster.action() == "replace"
    value = cluster.annotation()
    assert value is not None
    assert value["advice"] == "replace"


def test_faults_on_three_days_of_a_month_make_a_lemon(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    for day in (0, 3, 6):
        cluster.faulty = {"a"}
        cluster.controller(NOW + day * DAY, hold=False).run(f"bad-{day}")
        cluster.faulty = set()
        cluster.controller(NOW + day * DAY + 60, hold=False).run(f"good-{day}")
    value = cluster.annotation()
    assert value is not None
    assert (value["is_lemon"], value["advice"]) == (True, "replace")
    assert value["reason"] == "faults on 3 days of the last 28"
    # After 28 days the node is as any other.
    cluster.controller(NOW + 40 * DAY, hold=False).run("later")
    value = cluster.annotation()
    assert value is not None
    assert (value["is_lemon"], value["advice"], value["reason"]) == (False, "none", "")


def test_a_rejected_node_that_is_tested_again_has_one_fault(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    cluster.faulty = {"a"}
    for day in range(5):
        assert cluster.controller(NOW + day * DAY).held() is not None
    assert cluster.kinds() == ["rejected"]
    assert cluster.action() == "reboot"
    cluster.faulty = set()
    cluster.controller(NOW + 5 * DAY).held()
    assert cluster.kinds() == ["rejected", "accepted"]


def test_a_new_instance_starts_anew(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    cluster.faulty = {"a"}
    cluster.controller(NOW).held()
    cluster.api.nodes["a"]["spec"]["providerID"] = "aws:///use1-az6/i-b"
    cluster.reboot()
    cluster.controller(NOW + 60).held()
    book = histories.load(Maps(cluster.api, NAMESPACE)).book
    assert {key: [one.kind for one in found] for key, found in book.items()} == {
        ("a", "i-a"): ["rejected"],
        ("a", "i-b"): ["rejected"],
    }
    value = cluster.annotation()
    assert value is not None
    assert (value["instance_id"], value["advice"]) == ("i-b", "reboot")


def test_the_annotation_goes_with_the_instance(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    cluster.faulty = {"a"}
    cluster.controller(NOW).held()
    cluster.api.nodes["a"]["spec"]["providerID"] = "aws:///use1-az6/i-b"
    cluster.controller(NOW + 60).held()
    assert cluster.annotation() is None


@pytest.mark.parametrize(
    ("label", "kinds", "advice"),
    [
        ("UnschedulablePendingReboot", ["drained"], "reboot"),
        ("UnschedulablePendingReplacement", ["drained"], "replace"),
        ("Unschedulable", [], None),
        ("Schedulable", [], None),
    ],
)
def test_what_hyperpods_agent_wants_counts(
    tmp_path: Path, label: str, kinds: list[str], advice: str | None
) -> None:
    cluster = Cluster(tmp_path)
    labels = cluster.api.nodes["a"]["metadata"]["labels"]
    labels[histories.HEALTH_LABEL] = label
    for seconds in (0, 120):
        cluster.controller(NOW + seconds, hold=False).held()
    assert cluster.kinds() == kinds
    assert (cluster.annotation() or {}).get("advice") == advice
    labels[histories.HEALTH_LABEL] = "Schedulable"
    cluster.controller(NOW + 240, hold=False).held()
    assert cluster.kinds() == [*kinds, *(["resumed"] if kinds else [])]


@pytest.mark.parametrize(
    ("status", "age", "kinds"),
    [
        ("Unknown", 900, ["node_fail"]),
        ("Unknown", 899, []),
        ("False", 3600, []),
        ("True", 3600, []),
    ],
)
def test_a_node_counts_as_lost_when_its_kubelet_is_silent_for_long(
    tmp_path: Path, status: str, age: int, kinds: list[str]
) -> None:
    cluster = Cluster(tmp_path)
    condition = cluster.api.nodes["a"]["status"]["conditions"][0]
    condition.update(
        status=status,
        lastTransitionTime="2026-11-23T08:00:00Z",
        message="Kubelet stopped posting node status.",
    )
    cluster.controller(NOW + age, hold=False).held()
    assert cluster.kinds() == kinds


def test_a_fault_of_many_nodes_at_once_is_not_theirs(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, *"abcd")
    cluster.faulty = set("abc")
    cluster.controller(NOW).held()
    assert [cluster.kinds(name) for name in "abc"] == [[], [], []]
    assert cluster.kinds("d") == ["accepted"]


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, "a", "b")
    cluster.faulty = {"a", "b"}
    other = cluster.controller(NOW, hold=False)
    replace = cluster.api.replace
    ran: list[str] = []

    def meanwhile(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("/histories") and not ran:
            ran.append("b")
            other.run("of-b", ["b"])
        return replace(path, body)

    cluster.controller(NOW - DAY, hold=False).held()
    cluster.api.replace = meanwhile  # type: ignore[method-assign]
    cluster.controller(NOW, hold=False).run("of-a", ["a"])
    assert ran == ["b"]
    assert (cluster.kinds("a"), cluster.kinds("b")) == (["rejected"], ["rejected"])


def test_it_gives_up_when_others_always_write_first(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    cluster.faulty = {"a"}
    cluster.controller(NOW, hold=False).held()

    def refuse(path: str, body: dict[str, Any]) -> dict[str, Any]:
        raise KubernetesError(409, "the object has been modified")

    maps = Maps(cluster.api, NAMESPACE)
    cluster.api.replace = refuse  # type: ignore[method-assign]
    tests = {"a": {"run": "r", "verdict": "rejected", "action": "reboot", "reason": REASON}}
    with pytest.raises(KubernetesError, match="other runs prevented the histories"):
        histories.note(maps, list(cluster.api.nodes.values()), tests, NOW)


def test_a_time_that_no_record_can_have_does_not_end_the_hold(tmp_path: Path) -> None:
    event = {"time": 1e300, "kind": "rejected", "detail": ""}
    row = {"node": "a", "instance_id": "i-a", "events": [event]}
    cluster = Cluster(tmp_path)
    Maps(cluster.api, NAMESPACE).save(histories.MAP, {"book": {"nodes": [row]}}, {})
    cluster.controller(NOW).held()
    assert cluster.kinds() == ["accepted"]


@pytest.mark.parametrize(
    "content", [{}, {"book": [], "seen": []}, {"book": {"nodes": [1]}, "seen": {"a": 1}}]
)
def test_a_damaged_record_is_empty(tmp_path: Path, content: dict[str, Any]) -> None:
    cluster = Cluster(tmp_path)
    maps = Maps(cluster.api, NAMESPACE)
    maps.save(histories.MAP, content, {})
    assert histories.load(maps) == histories.Record({}, {})
    cluster.api.maps[histories.MAP]["binaryData"] = {"report.json.gz": "!"}
    assert histories.load(maps) == histories.Record({}, {})


def test_the_record_stays_within_a_config_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"n{number}" for number in range(40)]
    cluster = Cluster(tmp_path, *names)
    monkeypatch.setattr(histories, "MOST_BYTES", 700)
    for number, name in enumerate(names):
        cluster.faulty = {name}
        cluster.controller(NOW + number, hold=False).run(f"r{number}", [name])
    kept = {name for name in names if cluster.kinds(name)}
    assert names[-1] in kept
    assert names[0] not in kept


def test_the_command_reads_instance_ids_as_the_controller_does() -> None:
    assert kubernetes_view.INSTANCE == histories.INSTANCE


def test_a_node_without_an_instance_id_has_no_history(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    cluster.faulty = {"a"}
    cluster.api.nodes["a"]["spec"]["providerID"] = "kind://docker/a"
    cluster.controller(NOW).held()
    assert cluster.kinds() == []
    assert cluster.annotation() is None

"""What counts against a node, and what its history says to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import lemon, records
from clusterwright_state.histories import Histories

from tests.nodes.metrics.fake_node import Machine

DAY = 86_400.0
NOW = 1_795_420_000.0  # 2026-11-23T07:46:40Z
REBOOT = "clusterwright: xid: 79 on 0000:b9:00 (reboot)"
HEALS = "clusterwright: lustre: /fsx does not answer"


def node(name: str = "a", *states: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "states": list(states) or ["IDLE"],
        "reason": "",
        "boot_time": "2026-11-01T00:00:00Z",
        "instance_id": f"i-{name}",
        **changes,
    }


def drained(name: str = "a", reason: str = REBOOT) -> dict[str, Any]:
    return node(name, "IDLE", "DRAIN", reason=reason)


def kinds(folder: Path, name: str = "a") -> list[str]:
    return [one.kind for one in lemon.history(lemon.load(folder / lemon.FILE), name)]


def record_test(folder: Path, run: str, verdict: str, name: str = "a", **changes: Any) -> None:
    row = {"run": run, "verdict": verdict, "instance_id": f"i-{name}", "level": "quick"}
    records.write(folder / f"nodes/{name}.json", {"history": [{**row, **changes}]})


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (REBOOT, ["xid"]),
        ("clusterwright: gpu: 7 of 8 GPUs (replace)", ["drained"]),
        ("Action:Reboot", ["drained"]),
        (HEALS, []),
        ("maintenance (reboot) by ada", []),
        ("clusterwright acceptance: new", []),
    ],
)
def test_only_drains_for_a_fault_of_the_instance_count(
    tmp_path: Path, reason: str, expected: list[str]
) -> None:
    histories = Histories(str(tmp_path))
    histories.note([node()], NOW)
    histories.note([drained(reason=reason)], NOW)
    histories.note([drained(reason=reason)], NOW + 10)
    assert kinds(tmp_path) == expected


def test_a_fault_counts_once_a_day_also_after_a_restart_of_the_service(tmp_path: Path) -> None:
    for seconds in (0.0, 10.0, 20.0, DAY, DAY + 10):
        histories = Histories(str(tmp_path))
        histories.note([drained()], NOW + seconds)
        histories.note([node()], NOW + seconds + 1)
    assert kinds(tmp_path) == ["xid", "resumed", "xid", "resumed"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"action": "reboot", "reason": "xid: 79"}, ["rejected"]),
        ({"action": "reboot", "reason": "dcgmi did not end within 60 s"}, ["hung"]),
        ({"action": "report", "reason": "equal-versions: 560"}, []),
        ({"action": "reboot", "instance_id": "i-before"}, []),
    ],
)
def test_rejections_count_by_their_action(
    tmp_path: Path, changes: dict[str, str], expected: list[str]
) -> None:
    histories = Histories(str(tmp_path))
    record_test(tmp_path, "1", "rejected", **changes)
    histories.note([node()], NOW)
    histories.note([node()], NOW + 10)
    assert kinds(tmp_path) == expected


def test_a_reboot_counts_only_after_a_fault(tmp_path: Path) -> None:
    histories = Histories(str(tmp_path))
    histories.note([node()], NOW)
    histories.note([node(boot_time="2026-11-02T00:00:00Z")], NOW)
    histories.note([drained()], NOW + 10)
    histories.note([node(boot_time="2026-11-03T00:00:00Z")], NOW + 20)
    histories.note([node(boot_time="2026-11-03T00:00:01Z")], NOW + 30)
    histories.note([node(boot_time="2026-11-04T00:00:00Z")], NOW + 40)
    assert kinds(tmp_path).count("rebooted") == 1


def test_a_fault_of_many_nodes_at_once_is_not_theirs(tmp_path: Path) -> None:
    histories = Histories(str(tmp_path))
    names = [f"n{number}" for number in range(8)]
    lost = {"states": ["DOWN", "NOT_RESPONDING"], "reason": "Not responding"}
    histories.note([node(name, **(lost if name < "n3" else {})) for name in names], NOW)
    assert lemon.load(tmp_path / lemon.FILE) == {}
    histories.note([node(name) for name in names], NOW + 10)
    histories.note([node(name, **(lost if name < "n2" else {})) for name in names], NOW + 20)
    assert kinds(tmp_path, "n0") == kinds(tmp_path, "n1") == ["node_fail"]


def test_a_new_instance_starts_anew(tmp_path: Path) -> None:
    histories = Histories(str(tmp_path))
    for day in range(3):
        histories.note([drained()], NOW + day * DAY)
        histories.note([node()], NOW + day * DAY + 10)
    now = NOW + 2 * DAY + 20
    found = histories.published([node()], {}, now)
    assert found is not None
    assert (found["a"]["is_lemon"], found["a"]["advice"]) == (True, "replace")
    assert found["a"]["reason"] == "faults on 3 days of the last 28"
    assert found["a"]["events"][0] == {
        "at": "2026-11-23T07:46:40Z",
        "kind": "xid",
        "detail": REBOOT,
    }
    assert histories.published([node(instance_id="i-other")], {}, now) is None


def test_a_healthy_node_with_a_fault_needs_nothing(tmp_path: Path) -> None:
    histories = Histories(str(tmp_path))
    histories.note([drained()], NOW)
    histories.note([node(boot_time="2026-11-23T08:30:00Z")], NOW + 600)
    found = histories.published([node()], {"a": {"state": "accepted"}}, NOW + 700)
    assert found is not None
    assert (found["a"]["advice"], found["a"]["reason"]) == ("none", "")


def test_a_second_fault_in_seven_days_replaces_instead_of_a_reboot(tmp_path: Path) -> None:
    """Slurm's reason, the acceptance and the published history say so."""
    histories = Histories(str(tmp_path))
    (tmp_path / "machine").mkdir()
    machine = Machine(tmp_path / "machine")
    machine.command("scontrol", f'echo "$*" >>{tmp_path}/ran')
    histories.note([node()], NOW)
    histories.note([drained()], NOW + 10)
    assert histories.mark(machine.probe(), [drained()], NOW + 10) == []
    back = "2026-11-23T08:30:00Z"
    histories.note([node(boot_time=back)], NOW + 600)
    again = {**drained(), "boot_time": back}
    histories.note([again], NOW + 2 * DAY)
    now = NOW + 2 * DAY + 1
    text = f"{REBOOT}; replace: 1 reboot in 7 days did not help"
    assert histories.mark(machine.probe(), [again], now) == [{"node": "a", "reason": text}]
    assert (tmp_path / "ran").read_text() == f"update NodeName=a Reason={text}\n"
    # The health check finds its own reason at the start; nothing is written twice.
    assert histories.mark(machine.probe(), [{**again, "reason": text}], now) == []
    published = histories.published([again], {}, now)
    assert published is not None
    assert published["a"]["advice"] == "replace"
    states = {"a": {"state": "rejected", "reason": "xid: 79", "action": "reboot"}}
    advised = histories.advise_states([again], states, now)
    assert advised == {
        "a": {
            "state": "rejected",
            "reason": "xid: 79; replace: 1 reboot in 7 days did not help",
            "action": "replace",
        }
    }
    assert states["a"]["action"] == "reboot"


def test_reasons_of_hyperpods_agent_stay_exact(tmp_path: Path) -> None:
    histories = Histories(str(tmp_path))
    agent = drained(reason="Action:Reboot")
    for day in range(4):
        histories.note([agent], NOW + day * DAY)
        histories.note([node()], NOW + day * DAY + 10)
    assert histories.mark(Machine(tmp_path).probe(), [agent], NOW + 4 * DAY) == []


def test_damaged_records_are_read_as_empty(tmp_path: Path) -> None:
    (tmp_path / lemon.FILE).write_text('{"nodes": [1]}')
    (tmp_path / "seen.json").write_text('{"a": 1}')
    record_test(tmp_path, "1", "accepted")
    histories = Histories(str(tmp_path))
    histories.note([node(), node("b", instance_id=None)], NOW)
    assert kinds(tmp_path) == ["accepted"]

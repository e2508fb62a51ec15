"""A node's history decides replace instead of reboot."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_common import lemon
from clusterwright_common.lemon import Advice, Happening

DAY = 86_400.0
NOW = 20_000 * DAY + 3600


def book(*events: tuple[float, str]) -> lemon.Book:
    found: lemon.Book = {}
    for days, kind in sorted(events, reverse=True):
        found = lemon.add(found, "workers-1", "i-1", Happening(NOW - days * DAY, kind, "why"))
    return found


def advise(*events: tuple[float, str], wanted: str = "reboot") -> Advice:
    return lemon.advise(book(*events), "workers-1", "i-1", NOW, wanted)


def test_first_fault_is_rebooted() -> None:
    assert advise((0, "xid")) == Advice("reboot", False, "no earlier fault that matters")


def test_fault_after_a_reboot_within_seven_days_is_replaced() -> None:
    found = advise((6, "xid"), (6, "rebooted"), (0, "rejected"))
    assert found == Advice("replace", False, "1 reboot in 7 days did not help")
    assert advise((8, "rebooted"), (0, "xid")).action == "reboot"


def test_faults_on_three_days_make_a_lemon() -> None:
    found = advise((20, "drained"), (10, "hung"), (0, "rejected"))
    assert found == Advice("replace", True, "faults on 3 days of the last 28")
    assert not advise((0, "xid"), (0, "hung"), (0.01, "drained")).is_lemon
    assert not advise((29, "drained"), (10, "hung"), (0, "rejected")).is_lemon
    assert not advise((20, "accepted"), (10, "resumed"), (0, "rejected")).is_lemon


def test_fault_that_needs_another_instance_is_replaced() -> None:
    assert advise((0, "xid"), wanted="replace").action == "replace"


def test_new_instance_of_the_same_name_has_no_history() -> None:
    found = book((20, "drained"), (10, "hung"), (0, "rejected"))
    assert lemon.advise(found, "workers-1", "i-2", NOW).action == "reboot"
    assert [event.kind for event in lemon.history(found, "workers-1")] == [
        "drained",
        "hung",
        "rejected",
    ]
    assert lemon.history(found, "workers-1", "i-2") == []


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind of event: bored"):
        lemon.add({}, "workers-1", "i-1", Happening(NOW, "bored"))


def test_record_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemon, "KEPT_EVENTS_PER_NODE", 2)
    monkeypatch.setattr(lemon, "KEPT_NODES", 2)
    found: lemon.Book = {}
    for number in range(3):
        for second in range(3):
            event = Happening(NOW + number + second, "xid")
            found = lemon.add(found, f"workers-{number}", "i-1", event)
    assert {name: len(events) for (name, _), events in found.items()} == {
        "workers-1": 2,
        "workers-2": 2,
    }
    assert lemon.pruned(found, NOW + lemon.KEPT_DAYS * DAY + 9) == {}


def test_record_is_kept_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "lemons.json"
    assert lemon.load(path) == {}
    found = book((20, "drained"), (0, "rejected"))
    lemon.save(path, found)
    assert lemon.load(path) == found
    content = lemon.to_json(found)
    content["nodes"] += [{"node": "x"}, 3]
    lemon.records.write(path, content)
    assert lemon.load(path) == found

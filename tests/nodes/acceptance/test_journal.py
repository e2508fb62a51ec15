"""A run that was killed goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from clusterwright_acceptance.journal import Journal, resumed, save, to_json
from clusterwright_acceptance.outcome import failed, passed
from clusterwright_common import records

NOW = "2026-11-23T08:00:00Z"


def kept(**changes: Any) -> dict[str, Any]:
    journal = Journal("run-1", "i-1", "boot-1", started_at="before")
    journal.outcomes = {"a": passed(), "b": failed("slow", "reboot")}
    journal.seconds = {"a": 1.5}
    for name, value in changes.items():
        setattr(journal, name, value)
    return to_json(journal)


def test_same_run_goes_on_and_repeats_what_did_not_pass() -> None:
    found = resumed(kept(), "run-1", "i-1", "boot-1", NOW)
    assert (found.started_at, found.seconds["a"]) == ("before", 1.5)
    assert [found.needs(check) for check in "abc"] == [False, True, True]


def test_unnamed_run_goes_on_until_it_has_ended() -> None:
    assert not resumed(kept(), None, "i-1", "boot-1", NOW).needs("a")
    ended = resumed(kept(ended_at=NOW), None, "i-1", "boot-1", NOW)
    assert ended.needs("a")
    assert ended.run == NOW


@pytest.mark.parametrize(("run", "instance"), [("run-2", "i-1"), ("run-1", "i-2")])
def test_another_run_or_instance_starts_anew(run: str, instance: str) -> None:
    found = resumed(kept(crashes={"a": 2}), run, instance, "boot-1", NOW)
    assert found.needs("a")
    assert found.crashes == {}


def test_after_a_reboot_every_check_runs_again() -> None:
    found = resumed(kept(), "run-1", "i-1", "boot-2", NOW)
    assert found.needs("a")
    assert found.crashes == {}


def test_check_that_stops_the_machine_twice_has_crashed() -> None:
    once = resumed(kept(running="c"), "run-1", "i-1", "boot-2", NOW)
    assert not once.has_crashed("c")
    once.running = "c"
    twice = resumed(to_json(once), "run-1", "i-1", "boot-3", NOW)
    assert twice.has_crashed("c")


def test_killed_check_is_no_crash() -> None:
    assert resumed(kept(running="c"), "run-1", "i-1", "boot-1", NOW).crashes == {}


def test_damaged_journal_is_used_as_far_as_it_goes(tmp_path: Path) -> None:
    content = kept()
    content["checks"] += [{"id": "c"}, 3]
    content["crashes"] = None
    records.write(tmp_path / "journal.json", content)
    found = resumed(records.read(tmp_path / "journal.json"), "run-1", "i-1", "boot-1", NOW)
    assert set(found.outcomes) == {"a", "b"}
    assert resumed({}, None, None, "", NOW).outcomes == {}


def test_journal_is_written(tmp_path: Path) -> None:
    journal = resumed(kept(), "run-1", "i-1", "boot-1", NOW)
    save(tmp_path / "journal.json", journal)
    assert records.read(tmp_path / "journal.json") == to_json(journal)

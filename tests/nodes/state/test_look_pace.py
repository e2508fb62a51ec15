"""When the hold looks again."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusterwright_state import look_pace
from clusterwright_state.look_pace import FRESH_SECONDS, OFTEN_SECONDS, USUALLY_SECONDS, LookPace


class Clock:
    """Time that passes only while the pace sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(look_pace.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(look_pace.time, "sleep", self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def waited(self, pace: LookPace) -> float:
        before = self.now
        pace.wait()
        return self.now - before


def test_looks_are_rare_while_no_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slurm.conf").write_text("")
    clock = Clock(monkeypatch)
    pace = LookPace([str(tmp_path / "none"), str(tmp_path / "slurm.conf")])
    clock.now += FRESH_SECONDS
    assert [clock.waited(pace) for _ in range(3)] == pytest.approx([USUALLY_SECONDS] * 3)


def test_looks_are_frequent_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file may have been written just before the service started."""
    clock = Clock(monkeypatch)
    began, pace = clock.now, LookPace([str(tmp_path / "slurm.conf")])
    while clock.now - began < FRESH_SECONDS - OFTEN_SECONDS:
        assert clock.waited(pace) == pytest.approx(OFTEN_SECONDS)
    clock.now = began + FRESH_SECONDS
    assert clock.waited(pace) == pytest.approx(USUALLY_SECONDS)


@pytest.mark.parametrize("replaced", [True, False])
def test_looks_are_frequent_after_a_file_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text("a")
    clock = Clock(monkeypatch)
    pace = LookPace([str(path)])
    clock.now += FRESH_SECONDS
    if replaced:
        (tmp_path / "fresh").write_text("b")
        (tmp_path / "fresh").replace(path)
    else:
        path.write_text("ab")
    written = clock.now
    while clock.now - written < FRESH_SECONDS:
        assert clock.waited(pace) == pytest.approx(OFTEN_SECONDS)
    assert clock.waited(pace) == pytest.approx(USUALLY_SECONDS)


def test_a_file_that_appears_or_disappears_is_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "slurm.conf"
    clock = Clock(monkeypatch)
    pace = LookPace([str(path)])
    clock.now += FRESH_SECONDS
    path.touch()
    assert clock.waited(pace) == pytest.approx(OFTEN_SECONDS)
    clock.now += FRESH_SECONDS
    path.unlink()
    assert clock.waited(pace) == pytest.approx(OFTEN_SECONDS)

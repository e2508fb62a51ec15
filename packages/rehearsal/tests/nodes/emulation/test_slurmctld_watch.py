"""The watch that ends a slurmctld that hangs."""

from __future__ import annotations

import runpy
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from packages.rehearsal.tests.nodes.emulation.conftest import TOOLS


class Ended(Exception):
    """The watch does not end by itself."""


class Controller:
    """slurmctld, which does not answer at `silent` seconds; `active` is the state of its unit."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, silent: range, *, active: bool) -> None:
        self.now = 0.0
        self.acts: list[tuple[int, str]] = []
        self._silent, self._active = silent, active
        monkeypatch.setattr(time, "sleep", self._sleep)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(subprocess, "run", self._run)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now > 300:
            raise Ended

    def _run(self, words: list[str], *, timeout: float = 0.0, **_: Any) -> SimpleNamespace:
        if words[0] == "scontrol":
            if int(self.now) in self._silent:
                self.now += timeout
                raise subprocess.TimeoutExpired(words, timeout)
            return SimpleNamespace(returncode=0)
        if "is-active" in words:
            return SimpleNamespace(returncode=0 if self._active else 3)
        self.acts.append((int(self.now), words[1]))
        self._silent = range(0)
        return SimpleNamespace(returncode=0)


@pytest.mark.parametrize(
    ("silent", "active", "acts"),
    [
        (range(0), True, []),
        (range(100, 120), True, []),
        (range(100, 300), False, []),
        (range(100, 300), True, ["kill", "restart"]),
    ],
)
def test_a_slurmctld_that_does_not_answer_for_long_is_restarted(
    monkeypatch: pytest.MonkeyPatch, silent: range, active: bool, acts: list[str]
) -> None:
    controller = Controller(monkeypatch, silent, active=active)
    with pytest.raises(Ended):
        runpy.run_path(str(Path(TOOLS) / "slurmctld_watch.py"), run_name="__main__")
    assert [act for _, act in controller.acts] == acts
    assert all(130 <= at <= 180 for at, _ in controller.acts)

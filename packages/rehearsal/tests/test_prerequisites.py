"""Reasons for having no emulated nodes."""

from __future__ import annotations

import platform
import shutil

import pytest

from clusterwright_rehearsal import prerequisites, runs


def test_missing_root_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(runs, "is_root", lambda: False)
    assert prerequisites.nodes_unavailable() == "emulated nodes require root"


def test_other_systems_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert prerequisites.nodes_unavailable() == "emulated nodes require Linux, and this is Darwin"


def test_missing_programs_are_reported_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(runs, "is_root", lambda: True)
    monkeypatch.setattr(prerequisites, "has_capability", lambda name: True)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "ip" else name)
    reason = prerequisites.nodes_unavailable()
    assert reason is not None
    assert reason.startswith("ip not installed (apt-get install ")

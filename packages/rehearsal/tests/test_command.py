"""The command line of `rehearse`; the rehearsals are tried beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from clusterwright_rehearsal import rehearsal
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.verdict import Verdict
from packages.rehearsal.tests.report import verdicts
from tests.support.command_line import clusterwright

_DEV = Path(__file__).parents[3] / "configs" / "dev.yaml"


def _gives(monkeypatch: pytest.MonkeyPatch, verdict: Verdict | RehearsalError) -> None:
    def rehearse(*_: object) -> Verdict:
        if isinstance(verdict, RehearsalError):
            raise verdict
        return verdict

    monkeypatch.setattr(rehearsal, "rehearse", rehearse)


@pytest.mark.parametrize(
    ("verdict", "code"), [(verdicts.HELD, 0), (verdicts.BROKEN, 1), (verdicts.NO_NODES, 2)]
)
def test_exit_code_follows_the_verdict_and_the_report_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, verdict: Verdict, code: int
) -> None:
    _gives(monkeypatch, verdict)
    report = tmp_path / "verdict.html"
    text = clusterwright("rehearse", _DEV, "--report", report)
    assert text.exit_code == code
    assert "Promises: " in text.out
    page = report.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    report.unlink()
    answer = clusterwright("rehearse", _DEV, "--report", report, "--format", "json")
    assert json.loads(answer.out)["exit_code"] == answer.exit_code == code
    assert report.read_text(encoding="utf-8") == page


def test_unwritable_report_is_refused_at_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rehearsal, "rehearse", lambda *_: pytest.fail("it was held"))
    answer = clusterwright("rehearse", _DEV, "--report", tmp_path / "none" / "verdict.html")
    assert answer.exit_code == 3
    assert "verdict.html cannot be written: No such file or directory" in answer.err
    assert "hint: give another file with --report" in answer.err


def test_existing_report_is_kept_if_no_rehearsal_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _gives(monkeypatch, RehearsalError("too few nodes", "--nodes 4 or more"))
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    old.write_text("yesterday's")
    for report in (old, new):
        answer = clusterwright("rehearse", _DEV, "--report", report)
        assert answer.exit_code == 3
        assert "hint: --nodes 4 or more" in answer.err
    assert old.read_text() == "yesterday's"
    assert not new.exists()


def test_list_requires_no_spec_and_no_root() -> None:
    answer = clusterwright("rehearse", "--list", "--format", "json")
    assert answer.exit_code == 0
    found = json.loads(answer.out)["scenarios"]
    assert found[0]["name"] == "first-boot"
    default = {entry["name"] for entry in found if entry["default"]}
    assert default >= {"first-boot", "two-groups", "node-lost"}
    text = clusterwright("rehearse", "--list").out
    assert re.match(r"first-boot +\*  ", text)
    assert re.search(r"^kill-at-every-step     +The node", text, re.MULTILINE)
    assert text.endswith("\n* runs without --scenario and --all\n")


def test_all_and_chosen_scenarios_exclude_each_other() -> None:
    answer = clusterwright("rehearse", _DEV, "--all", "--scenario", "first-boot")
    assert answer.exit_code == 3
    assert "--all and --scenario exclude each other" in answer.err

"""Reports of `accept` on a node: the forms of the command elsewhere, without HTML."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from clusterwright_common import records
from clusterwright_state.commands import report_files
from clusterwright_state.commands.junit import junit

from clusterwright.json_output.accept import accept_json
from clusterwright.operate.results import UnknownPart
from clusterwright.render.accept import accept_junit
from tests.nodes.state.commands.conftest import Commands
from tests.render.acceptance_report import BASELINE, REPORT

RUN = "20261128T000000Z-abcdef"


def ended(folder: Path) -> None:
    checks = [{"id": "gpu-count", "verdict": "fail", "reason": "7 of 8 GPUs"}]
    node = {"name": "workers-1", "verdict": "rejected", "checks": checks}
    report = {"status": "ended", "level": "quick", "nodes": [node]}
    records.write(folder / "acceptance" / "runs" / f"{RUN}.json", report)


def test_the_files_have_the_report(commands: Commands, tmp_path: Path) -> None:
    ended(tmp_path)
    paths = [tmp_path / f"report{suffix}" for suffix in (".json", ".xml", ".txt")]
    paths[0].symlink_to(tmp_path / "elsewhere")
    answer = commands.answer("accept", f"--run={RUN}", *(f"--report={path}" for path in paths))
    assert json.loads(paths[0].read_text()) == answer
    assert not (tmp_path / "elsewhere").exists(), "root does not follow links"
    assert '<failure message="7 of 8 GPUs">' in paths[1].read_text()
    assert "workers-1" in paths[2].read_text()
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o644}
    assert not list(tmp_path.glob(".report*"))


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("/tmp/report.html", "HTML is not written on a node", "clusterwright accept FILE --run"),
        ("/tmp/report.pdf", "the form is unknown", "use .json, .xml, .txt"),
        ("report.xml", "the path is relative", '--report "$PWD/report.xml"'),
        ("/no/such/report.xml", "/no/such is not a folder", "create it"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_run(
    commands: Commands, path: str, message: str, hint: str
) -> None:
    code, _, error = commands.run("accept", f"--report={path}")
    assert code == 3
    assert message in error
    assert hint in error
    assert not (commands.folder / "local").exists()


@pytest.mark.parametrize(
    ("name", "message"), [("x.json", "is a folder"), ("y" * 250 + ".xml", "")]
)
def test_a_file_that_cannot_be_replaced_is_refused_before_the_run(
    commands: Commands, tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "x.json").mkdir()
    code, out, error = commands.run("accept", f"--report={tmp_path / name}")
    assert (code, out) == (3, "")
    assert message in error
    assert not (commands.folder / "local").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_report_that_fails_after_the_run_keeps_the_verdict(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(answer: object, path: str) -> None:
        raise OSError(28, "No space left on device", path)

    ended(tmp_path)
    monkeypatch.setattr(report_files, "write", full)
    report = f"--report={tmp_path}/report.json"
    code, out, error = commands.run("accept", f"--run={RUN}", report, "--format=json")
    assert code == json.loads(out)["exit_code"] == 1
    assert error == f"error: --report {tmp_path}/report.json: No space left on device\n"
    code, _, error = commands.run("accept", "--dry-run", report)
    assert code == 2
    assert "No space left" in error


def test_the_owner_of_the_folder_makes_root_change_no_other_file(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary file was replaced by a link before its mode was set."""
    secret = tmp_path / "secret"
    secret.write_text("s")
    secret.chmod(0o600)
    make = report_files.tempfile.mkstemp

    def swapped(**words: str) -> tuple[int, str]:
        number, fresh = make(**words)
        Path(fresh).rename(f"{fresh}.x")
        Path(fresh).symlink_to(secret)
        return number, fresh

    ended(tmp_path)
    answer = commands.answer("accept", f"--run={RUN}")
    monkeypatch.setattr(report_files.tempfile, "mkstemp", swapped)
    report_files.write(answer, str(tmp_path / "report.json"))
    assert secret.stat().st_mode & 0o777 == 0o600


def test_text_that_is_not_unicode_is_written(commands: Commands, tmp_path: Path) -> None:
    ended(tmp_path)
    answer = {**commands.answer("accept", f"--run={RUN}"), "environment": "prod\udc80"}
    for suffix in (".json", ".xml", ".txt"):
        report_files.write(answer, f"{tmp_path}/report{suffix}")
        assert "prod" in (tmp_path / f"report{suffix}").read_text()


def test_junit_is_that_of_the_command_elsewhere() -> None:
    part = UnknownPart("the run", "it has not ended", None, None)
    first = replace(REPORT, cluster_checks=BASELINE)
    for report in (REPORT, first, replace(REPORT, unknown=(part,))):
        assert junit(json.loads(accept_json(report))) == accept_junit(report)

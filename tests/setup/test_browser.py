"""The pinned browser of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.setup import browser
from tools.setup.errors import SetupError


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the browser; installing writes its program."""
    folder = tmp_path / "state" / "browser"
    program = folder / "unpacked" / "chromium"
    monkeypatch.setattr(browser, "HOME", folder)
    monkeypatch.setattr(browser, "UNPACKED", program.parent)
    monkeypatch.setattr(browser, "PROGRAM", program)
    monkeypatch.setattr(browser, "_STAMP", folder / "built-from")
    monkeypatch.setattr(browser, "can_run", lambda: True)

    def npm_ci(target: Path, *_: Any) -> None:
        (target / "node_modules").mkdir(parents=True)

    def run(command: Any, **_: Any) -> str:
        if str(command[0]).endswith("node"):
            program.parent.mkdir()
            program.touch()
            for name in ("al2023.tar", "fonts.tar", "swiftshader.tar"):
                (program.parent / name).touch()
        return ""

    monkeypatch.setattr(browser, "npm_ci", npm_ci)
    monkeypatch.setattr(browser, "run", run)
    return folder


def test_it_is_installed_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not browser.is_current()
    assert browser.main() == 0
    assert "setup: test browser " in capsys.readouterr().err
    assert browser.is_current()
    assert not (home / "node_modules").exists()
    assert browser.main() == 0
    assert capsys.readouterr().err == ""


def test_a_deleted_program_is_installed_again(home: Path) -> None:
    assert browser.bring_up_to_date()
    browser.PROGRAM.unlink()
    assert browser.bring_up_to_date()
    assert not browser.bring_up_to_date()


def test_a_failure_has_a_hint(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> None:
        raise SetupError("no network", "check it", "detail")

    monkeypatch.setattr(browser, "npm_ci", fail)
    assert browser.main() == 1
    assert capsys.readouterr().err == "\nerror: no network\ndetail\n\nhint: check it\n"
    assert not (home / "built-from").exists()


def test_other_platforms_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser.platform, "machine", lambda: "arm64")
    assert not browser.can_run()
    assert browser.main() == 0


def test_libraries_of_the_browser_are_found(home: Path) -> None:
    found = browser.environment()
    assert found["LD_LIBRARY_PATH"] == str(home / "unpacked" / "lib")
    assert found["FONTCONFIG_PATH"] == str(home / "unpacked" / "fonts")

"""promtool of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.setup import promtool, unpacked_packages
from tools.setup.errors import SetupError


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of promtool on a machine without one; downloading writes a package."""
    folder = tmp_path / "state" / "promtool"
    monkeypatch.setattr(promtool, "HOME", folder)
    monkeypatch.setattr(promtool, "UNPACKED", folder / "usr" / "bin" / "promtool")
    monkeypatch.setattr(unpacked_packages.os, "geteuid", lambda: 0)
    monkeypatch.setattr(unpacked_packages.sys, "platform", "linux")
    monkeypatch.setattr(
        unpacked_packages.shutil,
        "which",
        lambda name: None if name == "promtool" else f"/usr/bin/{name}",
    )
    return folder


def apt(home: Path, has: tuple[str, ...]) -> Any:
    """A fake of apt-get and dpkg-deb whose index has some packages."""

    def run(command: Any, *, doing: str, cwd: Path | None = None) -> str:
        words = [str(word) for word in command]
        if words[1] == "download":
            if words[-1] not in has:
                raise SetupError(f"{doing}: unable to locate it", "check the index")
            assert cwd == home
            (home / f"{words[-1]}_2.42.0_amd64.deb").touch()
        if words[0] == "dpkg-deb":
            promtool.UNPACKED.parent.mkdir(parents=True)
            promtool.UNPACKED.touch()
        return ""

    return run


@pytest.mark.parametrize("has", [("prometheus",), ("promtool", "prometheus")])
def test_it_is_fetched_once(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    has: tuple[str, ...],
) -> None:
    monkeypatch.setattr(unpacked_packages, "run", apt(home, has))
    assert promtool.main() == 0
    assert "setup: promtool " in capsys.readouterr().err
    assert promtool.program() == home / "usr" / "bin" / "promtool"
    assert not list(home.glob("*.deb"))
    assert promtool.main() == 0
    assert capsys.readouterr().err == ""


def test_a_failure_has_a_hint(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(unpacked_packages, "run", apt(home, ()))
    assert promtool.main() == 1
    assert capsys.readouterr().err == (
        "\nerror: downloading prometheus: unable to locate it\n\nhint: check the index\n"
    )


def test_the_machines_own_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = home.parent / "promtool-of-the-machine"
    own.parent.mkdir(exist_ok=True)
    own.touch()
    monkeypatch.setattr(promtool.shutil, "which", lambda name: str(own))
    assert promtool.program() == own
    assert promtool.main() == 0
    assert not home.exists()


def test_without_root_nothing_is_fetched(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacked_packages.os, "geteuid", lambda: 1000)
    assert not promtool.can_install()
    assert promtool.main() == 0
    assert not home.exists()

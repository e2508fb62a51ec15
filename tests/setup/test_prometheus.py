"""Prometheus and Alertmanager of the rehearsal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal.prometheus import programs
from tools.setup import prometheus, unpacked_packages
from tools.setup.errors import SetupError


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the programs on a machine without them."""
    folder = tmp_path / "state" / "prometheus"
    monkeypatch.setattr(programs, "UNPACKED", folder)
    monkeypatch.setattr(prometheus, "can_install", lambda: True)
    own = dict.fromkeys((programs.PROMETHEUS, programs.ALERTMANAGER))
    monkeypatch.setattr(programs.shutil, "which", lambda name: own.get(name, f"/usr/bin/{name}"))
    return folder


def _apt(home: Path, has: tuple[str, ...]) -> Any:
    """A fake of apt-get and dpkg-deb whose index has some packages."""

    def run(command: Any, *, doing: str, cwd: Path | None = None) -> str:
        words = [str(word) for word in command]
        name = Path(words[2 if words[0] == "dpkg-deb" else -1]).name.partition("_")[0]
        if words[1] == "download":
            if name not in has:
                raise SetupError(f"{doing}: unable to locate it", "check the index")
            (home / f"{name}_1_amd64.deb").touch()
        if words[0] == "dpkg-deb":
            (home / "usr" / "bin").mkdir(parents=True, exist_ok=True)
            (home / "usr" / "bin" / name).touch()
        return ""

    return run


def test_both_packages_are_fetched_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = (programs.PROMETHEUS, programs.ALERTMANAGER)
    monkeypatch.setattr(unpacked_packages, "run", _apt(home, both))
    assert prometheus.main() == 0
    assert "setup: Prometheus and Alertmanager " in capsys.readouterr().err
    assert [programs.find(name) for name in both] == [home / "usr" / "bin" / n for n in both]
    assert not list(home.glob("*.deb"))
    assert prometheus.main() == 0
    assert capsys.readouterr().err == ""


def test_a_missing_package_is_a_failure(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacked_packages, "run", _apt(home, (programs.PROMETHEUS,)))
    assert prometheus.main() == 1
    assert programs.missing() == [programs.ALERTMANAGER]


def test_without_root_nothing_is_fetched(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "can_install", lambda: False)
    assert prometheus.main() == 0
    assert not home.exists()

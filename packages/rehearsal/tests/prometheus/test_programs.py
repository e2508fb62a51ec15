"""Where Prometheus and Alertmanager are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright_rehearsal.prometheus import programs


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of unpacked programs on a machine without installed ones."""
    monkeypatch.setattr(programs, "UNPACKED", tmp_path)
    monkeypatch.setattr(programs.shutil, "which", lambda _: None)
    folder = tmp_path / "usr" / "bin"
    folder.mkdir(parents=True)
    return folder


def test_unpacked_programs_are_found(unpacked: Path) -> None:
    (unpacked / "prometheus").touch()
    assert programs.find("prometheus") == unpacked / "prometheus"
    assert programs.missing() == ["prometheus-alertmanager"]


def test_installed_programs_come_first(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (unpacked / "prometheus").touch()
    monkeypatch.setattr(programs.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert programs.find("prometheus") == Path("/usr/bin/prometheus")
    assert not programs.missing()


def test_templates_of_an_unpacked_package_are_mounted(
    unpacked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert programs.command("prometheus") == []
    (unpacked / "prometheus").touch()
    *first, overlay, path = programs.command("prometheus")
    assert first[0] == "unshare"
    assert overlay == f"lowerdir={unpacked.parent / 'share'}:/usr/share"
    assert path == str(unpacked / "prometheus")
    monkeypatch.setattr(programs.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert programs.command("prometheus") == ["/usr/bin/prometheus"]

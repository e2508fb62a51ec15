"""Packages that are unpacked and not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.setup import unpacked_packages
from tools.setup.errors import SetupError


@pytest.fixture
def apt(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands; the index has the package `two` only."""
    commands: list[list[str]] = []

    def run(command: Any, *, doing: str, cwd: Path | None = None) -> str:
        words = [str(word) for word in command]
        commands.append(words)
        if words[1] == "download":
            if words[-1] != "two":
                raise SetupError(f"{doing}: unable to locate it", "check the index")
            assert cwd is not None
            (cwd / "two_1_amd64.deb").touch()
        return ""

    monkeypatch.setattr(unpacked_packages, "run", run)
    return commands


def test_the_first_package_that_the_index_has(tmp_path: Path, apt: list[list[str]]) -> None:
    home = tmp_path / "state" / "home"
    assert unpacked_packages.bring_up_to_date(home, (("one", "two"),), lambda: False)
    assert [words[:2] for words in apt] == [
        ["apt-get", "update"],
        ["apt-get", "download"],
        ["apt-get", "download"],
        ["dpkg-deb", "--extract"],
    ]
    assert not list(home.glob("*.deb"))


def test_what_another_process_has_fetched_is_kept(tmp_path: Path, apt: list[list[str]]) -> None:
    home = tmp_path / "state" / "home"
    assert not unpacked_packages.bring_up_to_date(home, (("two",),), lambda: True)
    assert not apt


def test_no_package_is_an_error(tmp_path: Path, apt: list[list[str]]) -> None:
    with pytest.raises(SetupError, match="downloading one"):
        unpacked_packages.bring_up_to_date(tmp_path / "s" / "h", (("one",),), lambda: False)

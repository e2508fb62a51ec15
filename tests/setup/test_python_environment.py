"""The virtual environment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tools.setup import python_environment
from tools.setup.errors import SetupError


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    commands: list[list[str]] = []

    def run(command: Any, **_: Any) -> str:
        commands.append([str(word) for word in command])
        return ""

    monkeypatch.setattr(python_environment, "run", run)
    monkeypatch.setattr(python_environment, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(python_environment, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setattr(python_environment, "made_here", lambda: True)
    monkeypatch.setattr(python_environment, "_can_use_apt", lambda: False)
    return commands


def have(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    monkeypatch.setattr(python_environment, "_module_exists", lambda name: name in modules)


@pytest.mark.parametrize(
    ("modules", "words"),
    [
        (("ensurepip", "venv"), ["-m", "venv", "--clear"]),
        (("virtualenv", "venv"), ["-m", "virtualenv", "--clear"]),
        (("pip", "venv"), ["-m", "venv", "--clear", "--without-pip"]),
    ],
)
def test_the_module_that_is_installed_is_used(
    monkeypatch: pytest.MonkeyPatch,
    ran: list[list[str]],
    tmp_path: Path,
    modules: tuple[str, ...],
    words: list[str],
) -> None:
    have(monkeypatch, *modules)
    python_environment.create()
    assert ran == [[sys.executable, *words, str(tmp_path / ".venv")]]


def test_a_python_that_cannot_make_environments(
    monkeypatch: pytest.MonkeyPatch, ran: list[list[str]]
) -> None:
    have(monkeypatch, "venv")
    with pytest.raises(SetupError, match="cannot make virtual environments"):
        python_environment.create()
    assert ran == []


@pytest.mark.parametrize("kind", ["file", "link"])
def test_something_else_of_that_name_is_kept(
    monkeypatch: pytest.MonkeyPatch, ran: list[list[str]], tmp_path: Path, kind: str
) -> None:
    have(monkeypatch, "ensurepip", "venv")
    path = tmp_path / ".venv"
    if kind == "file":
        path.touch()
    else:
        path.symlink_to(tmp_path)
    with pytest.raises(SetupError, match=f".venv is a {kind}, not a folder"):
        python_environment.create()
    assert ran == []


def test_the_location_is_an_input() -> None:
    assert python_environment.inputs() == [bytes(python_environment.VENV)]
    assert python_environment.outputs() == [python_environment.PYTHON]

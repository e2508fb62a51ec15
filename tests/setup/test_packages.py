"""uv, the pinned packages and the project itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools.setup import packages
from tools.setup.errors import SetupError
from tools.setup.paths import DEV_REQUIREMENTS, DISTRIBUTIONS, ROOT


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def run(command: Any, **_: Any) -> str:
        commands.append([str(word) for word in command])
        return ""

    monkeypatch.setattr(packages, "run", run)
    return commands


def test_a_missing_committed_file_has_a_remedy() -> None:
    with pytest.raises(SetupError) as caught:
        packages.read_committed(ROOT / "requirements" / "missing.txt")
    assert caught.value.message == (
        "requirements/missing.txt cannot be read (No such file or directory)"
    )
    assert caught.value.hint.startswith("`git checkout -- requirements/missing.txt`")


def test_every_installation_is_pinned_by_hashes(ran: list[list[str]]) -> None:
    packages.install_uv()
    packages.install_packages()
    uv, sync, check = ran
    assert {"--require-hashes", "--only-binary=:all:", "--no-deps"} <= set(uv)
    assert "--require-hashes" in sync
    assert str(DEV_REQUIREMENTS) in sync
    assert check[1:] == ["pip", "check"]


def test_the_project_is_editable(ran: list[list[str]]) -> None:
    packages.install_project()
    (command,) = ran
    assert "--no-build-isolation" in command
    editable = [command[i + 1] for i, word in enumerate(command) if word == "--editable"]
    assert editable == [str(folder) for folder in DISTRIBUTIONS]


def test_options_of_linters_do_not_reinstall(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    path = tmp_path / "pyproject.toml"
    monkeypatch.setattr(packages, "DISTRIBUTIONS", (tmp_path,))
    path.write_text(text)
    before = packages.project_inputs()
    path.write_text(text.replace("line-length = 99", "line-length = 98"))
    assert packages.project_inputs() == before
    path.write_text(text.replace('name = "clusterwright"', 'name = "other"', 1))
    assert packages.project_inputs() != before

"""Node and the programs that npm installs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.setup import node
from tools.setup.errors import SetupError


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The commands that are run; `cdk --version` answers 9.9.9."""
    commands: list[list[str]] = []

    def run(command: Any, **_: Any) -> str:
        commands.append([str(word) for word in command])
        return "9.9.9 (build x)\n" if "--version" in commands[-1] else f"{tmp_path}/wheel\n"

    monkeypatch.setattr(node, "run", run)
    for name in ("_NODE", "_NPM", "_CDK"):
        monkeypatch.setattr(node, name, tmp_path / name.lower())
    monkeypatch.setattr(node, "BIN", tmp_path)
    return commands


def test_npm_installs_exactly_what_is_locked(ran: list[list[str]], tmp_path: Path) -> None:
    manifest, lock = tmp_path / "package.json", tmp_path / "package-lock.json"
    manifest.write_text("{}")
    lock.write_text("{}")
    node.npm_ci(tmp_path / "home", manifest, lock, "installing")
    assert sorted(path.name for path in (tmp_path / "home").iterdir()) == [
        "package-lock.json",
        "package.json",
    ]
    ((_, command, *options),) = ran
    assert command == "ci"
    assert "--ignore-scripts" in options


def test_node_is_linked_and_npm_is_a_script(ran: list[list[str]], tmp_path: Path) -> None:
    node.link_node()
    node.link_node()
    assert (tmp_path / "_node").readlink() == Path("wheel/bin/node")
    text = (tmp_path / "_npm").read_text()
    assert text.startswith("#!/bin/sh\n")
    assert str(tmp_path / "wheel/lib/node_modules/npm/bin/npm-cli.js") in text
    assert (tmp_path / "_npm").stat().st_mode & 0o111
    assert ran[-1][1:] == ["--version"]


def test_another_version_of_the_cdk_is_an_error(
    ran: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = tmp_path / "package.json"
    monkeypatch.setattr(node, "npm_ci", lambda *_: None)
    monkeypatch.setattr(node, "CDK_MANIFEST", manifest)
    manifest.write_text(json.dumps({"dependencies": {"aws-cdk": "9.9.9"}}))
    node.install_cdk()
    manifest.write_text(json.dumps({"dependencies": {"aws-cdk": "2.1.0"}}))
    with pytest.raises(SetupError) as caught:
        node.install_cdk()
    assert caught.value.message == ("the CDK CLI reports version 9.9.9 (build x), expected 2.1.0")
    assert ran

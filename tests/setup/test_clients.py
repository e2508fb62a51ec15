"""Environments of third-party clients are rebuilt only when their requirements change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.setup import clients
from tools.setup.errors import SetupError


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A separate checkout without downloads; the list of commands that were run."""
    (tmp_path / "requirements" / "clients").mkdir(parents=True)
    for client in clients.CLIENTS:
        (tmp_path / "requirements" / "clients" / f"{client}.txt").write_text("a==1\n")
    ran: list[list[str]] = []

    def run(command: list[object], **_: object) -> str:
        words = [str(word) for word in command]
        ran.append(words)
        if words[1] == "venv":
            folder = Path(words[-1])
            (folder / "bin").mkdir(parents=True)
            (folder / "bin" / clients.CLIENTS[folder.name]).touch()
        return ""

    monkeypatch.setattr(clients, "ROOT", tmp_path)
    monkeypatch.setattr(clients, "_HOME", tmp_path / ".clusterwright" / "clients")
    monkeypatch.setattr(clients, "read_committed", Path.read_bytes)
    monkeypatch.setattr(clients, "run", run)
    monkeypatch.setattr(clients, "uv_index", lambda *_: clients.UvIndex({}, ()))
    return ran


def test_built_once_and_again_after_a_change(built: list[list[str]], tmp_path: Path) -> None:
    assert sorted(clients.bring_up_to_date()) == sorted(clients.CLIENTS)
    assert all("--require-hashes" in words for words in built if words[1] == "pip")
    built.clear()
    assert clients.bring_up_to_date() == []
    assert built == []
    (tmp_path / "requirements" / "clients" / "hyp.txt").write_text("a==2\n")
    assert clients.bring_up_to_date() == ["hyp"]


def test_what_was_built_is_printed(
    built: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clients.bring_up_to_date()
    (tmp_path / "requirements" / "clients" / "hyp.txt").write_text("a==2\n")
    assert clients.main() == 0
    assert capsys.readouterr().err.startswith("setup: test clients (hyp) ")
    assert clients.main() == 0
    assert capsys.readouterr().err == ""


def test_interrupted_build_is_repeated(
    built: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(command: list[object], **_: object) -> str:
        raise SetupError("no network", "wait")

    with monkeypatch.context() as broken:
        broken.setattr(clients, "run", cut_off)
        with pytest.raises(SetupError):
            clients.bring_up_to_date(["aws-cli"])
    assert not clients.is_current("aws-cli")
    assert clients.bring_up_to_date(["aws-cli"]) == ["aws-cli"]


def test_deleted_program_is_restored(built: list[list[str]]) -> None:
    clients.bring_up_to_date(["aws-cli"])
    clients.program("aws-cli").unlink()
    assert clients.bring_up_to_date(["aws-cli"]) == ["aws-cli"]

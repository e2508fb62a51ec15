"""`clusterwright localaws`: its options and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli.errors import UserError
from clusterwright_localaws import command
from clusterwright_localaws.server import server


class _Exited(Exception):
    pass


def run(*arguments: str) -> None:
    command.command.main(list(arguments), standalone_mode=False)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the server is started with."""
    found: dict[str, Any] = {}

    def serve(world: Any, port: int, **more: Any) -> None:
        found.update(world=world, port=port, **more)
        more["ready"](4567)

    def leave(code: int) -> None:
        raise _Exited(code)

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(command.os, "_exit", leave)
    return found


def test_options_reach_the_server(
    served: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(_Exited, match="0"):
        run(
            "--port=0",
            "--world=new-account",
            "--account=444455556666",
            "--latency-ms=5",
            f"--record={tmp_path / 'calls'}",
        )
    assert served["port"] == 0
    assert served["world"].account == "444455556666"
    assert served["world"].quota_policy == "documented"
    assert (served["latency_ms"], served["dump"]) == (5, None)
    assert served["record"] == tmp_path / "calls"
    assert capsys.readouterr().out == "ready http://localhost:4567\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--account=12"], "--account '12' is not 12 digits"),
        (["--world=nowhere"], "nowhere"),
    ],
)
def test_what_is_refused_before_a_server_starts(
    served: dict[str, Any], arguments: list[str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run(*arguments)
    assert served == {}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (server.PortInUseError(5555), "5555"),
        (PermissionError(13, "Permission denied", "/calls"), "/calls: Permission denied"),
        (ModuleNotFoundError("no moto", name="moto"), "needs the Python package 'moto'"),
    ],
)
def test_failures_of_the_start(
    monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def serve(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(server, "serve", serve)
    with pytest.raises(UserError, match=message):
        run()

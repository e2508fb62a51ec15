"""The entry point: exit codes and messages."""

from __future__ import annotations

from typing import Any

import click
import pytest

from clusterwright import __version__
from clusterwright.cli import main as main_module
from clusterwright.cli.errors import UserError
from clusterwright.cli.main import COMMANDS, OPTIONAL_COMMANDS, main


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"clusterwright, version {__version__}\n"


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name, (_, summary) in COMMANDS.items():
        assert f"  {name} " in text
        assert summary[:30] in text
    assert not COMMANDS.keys() & OPTIONAL_COMMANDS.keys()


def test_usage_errors_have_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expand", "--no-such-option"]) == 3
    assert capsys.readouterr().err.startswith("error: No such option")


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (UserError("no spec", "name one"), 3, "error: no spec\n\nhint: name one\n"),
        (UserError("no spec", exit_code=2), 2, "error: no spec\n"),
        (
            click.UsageError("no such option."),
            3,
            "error: no such option\n\nhint: see `clusterwright --help`\n",
        ),
        (click.exceptions.Exit(7), 7, ""),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.Abort(), 130, "interrupted\n"),
        (
            ValueError("bad"),
            70,
            f"error: internal error in clusterwright {__version__}: ValueError: bad\n\n"
            "hint: set CLUSTERWRIGHT_DEBUG=1 to see where, and please report it\n",
        ),
    ],
)
def test_errors_become_messages(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    text: str,
) -> None:
    def fail(**_: Any) -> None:
        raise error

    monkeypatch.setattr(main_module.cli, "main", fail)
    assert main([]) == code
    assert capsys.readouterr() == ("", text)


def test_with_debug_a_bug_has_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise ValueError("bad")

    monkeypatch.setattr(main_module.cli, "main", fail)
    monkeypatch.setenv("CLUSTERWRIGHT_DEBUG", "1")
    with pytest.raises(ValueError, match="bad"):
        main([])


@pytest.mark.parametrize(("result", "code"), [(None, 0), (2, 2), ("text", 0)])
def test_the_result_of_a_command_is_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, result: Any, code: int
) -> None:
    monkeypatch.setattr(main_module.cli, "main", lambda **_: result)
    assert main([]) == code


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "No space left on device", "/x/f"), "/x/f: no space left on device"),
        (PermissionError(13, "Permission denied"), "permission denied"),
        (MemoryError(), "out of memory"),
    ],
)
def test_faults_of_the_machine_are_no_internal_errors(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    text: str,
) -> None:
    def fail(**_: Any) -> None:
        raise error

    monkeypatch.setattr(main_module.cli, "main", fail)
    assert main([]) == 3
    assert capsys.readouterr() == ("", f"error: {text}\n")


@pytest.mark.parametrize("arguments", [[], ["artefacts"]])
def test_without_a_command_the_help_is_shown(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: clusterwright")
    assert "Commands:" in err

"""A group that imports a command only when it runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from clusterwright.cli.errors import UserError
from clusterwright.cli.lazy import GROUP, LazyGroup


@click.command()
def hello() -> None:
    click.echo("hello")


@pytest.fixture
def group() -> LazyGroup:
    return LazyGroup(
        "tool",
        lazy={"plan": ("no.such.module", "Plan a run"), "init": ("tests.x", "Write a spec")},
        optional={"rehearse": "tool-rehearsal"},
    )


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installs the distribution of `rehearse`."""
    point = SimpleNamespace(
        name="rehearse",
        load=lambda: hello,
        dist=SimpleNamespace(metadata={"Summary": "Rehearse a cluster"}),
    )

    class Points:
        def select(self, **wanted: str) -> list[Any]:
            return [point] if wanted == {"group": GROUP, "name": "rehearse"} else []

    monkeypatch.setattr(
        "importlib.metadata.distribution", lambda _: SimpleNamespace(entry_points=Points())
    )


def test_help_imports_no_command(group: LazyGroup) -> None:
    result = CliRunner().invoke(group, ["--help"])
    assert result.exit_code == 0
    assert "plan  Plan a run" in result.output
    assert "rehearse" not in result.output


def test_a_command_is_imported_when_it_runs(
    group: LazyGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "importlib.import_module", lambda name: SimpleNamespace(command=hello, name=name)
    )
    result = CliRunner().invoke(group, ["init"])
    assert (result.exit_code, result.output) == (0, "hello\n")


def test_a_command_of_an_installed_distribution(
    group: LazyGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    assert CliRunner().invoke(group, ["rehearse"]).output == "hello\n"
    assert "rehearse  Rehearse a cluster" in CliRunner().invoke(group, ["--help"]).output


def error_of(group: LazyGroup, name: str) -> UserError:
    result = CliRunner().invoke(group, [name], prog_name="tool")
    assert isinstance(result.exception, UserError)
    return result.exception


def test_a_command_of_a_distribution_that_is_not_installed(group: LazyGroup) -> None:
    error = error_of(group, "rehearse")
    assert error.message == ("`tool rehearse` is part of tool-rehearsal, which is not installed")
    assert error.hint == "pip install tool-rehearsal"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pln", "did you mean `plan`?"),
        ("rehears", "did you mean `rehearse`?"),
        ("xyz", "see `tool --help`"),
    ],
)
def test_an_unknown_command(group: LazyGroup, name: str, hint: str) -> None:
    error = error_of(group, name)
    assert error.message == f"No such command '{name}'"
    assert error.hint == hint

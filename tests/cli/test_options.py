"""Options that several commands share."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from clusterwright.cli import options
from clusterwright.cli.errors import UserError
from clusterwright.cli.options import exchange_rate, spec_path
from tests.support.command_line import clusterwright

TODAY = dt.date(2026, 11, 20)


@pytest.mark.parametrize(
    ("named", "path"),
    [
        (("a.yaml", None, None), Path("a.yaml")),
        ((None, "b.yaml", None), Path("b.yaml")),
        ((None, None, "dev"), Path("configs/dev.yaml")),
    ],
)
def test_the_spec_of_each_option(
    named: tuple[str | None, str | None, str | None], path: Path
) -> None:
    assert spec_path(*named) == path


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ((None, None, None), "no spec is named"),
        (("a.yaml", "a.yaml", None), "the spec is named more than once"),
        (("a.yaml", None, "dev"), "the spec is named more than once"),
        ((None, None, "../dev"), "--env must be a name, not '../dev'"),
        ((None, None, ""), "--env must be a name, not ''"),
        ((None, None, ".."), "--env must be a name, not '..'"),
    ],
)
def test_a_spec_that_is_not_named_once(
    named: tuple[str | None, str | None, str | None], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        spec_path(*named)
    assert caught.value.message == message
    assert caught.value.hint


def run(*decorators: Any, arguments: list[str]) -> tuple[int, str]:
    def show(**values: Any) -> None:
        for name in sorted(values):
            click.echo(f"{name}={values[name]}")

    function: Any = show
    for decorate in decorators:
        function = decorate(function)
    result = CliRunner().invoke(click.command()(function), arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize("arguments", [["a.yaml"], ["--config", "a.yaml"], ["-c", "a.yaml"]])
def test_a_command_gets_one_path(arguments: list[str]) -> None:
    assert run(options.spec_argument, arguments=arguments) == (0, "path=a.yaml\n")


def test_defaults() -> None:
    decorators = (
        options.format_option("text", "json"),
        options.fail_on_option("help"),
        options.timeout_option(30),
        options.offline_option,
        options.prices_option("help"),
        options.currency_options,
    )
    assert run(*decorators, arguments=[]) == (
        0,
        "currency=None\nfail_on=error\nfx=None\noffline=False\noutput_format=text\n"
        "prices=None\ntimeout_seconds=30.0\n",
    )


@pytest.mark.parametrize(
    ("decorate", "arguments"),
    [
        (options.format_option("text", "json"), ["--format", "xml"]),
        (options.fail_on_option("help"), ["--fail-on", "none"]),
        (options.timeout_option(30), ["--timeout", "0"]),
    ],
)
def test_other_values_are_refused(decorate: Any, arguments: list[str]) -> None:
    code, text = run(decorate, arguments=arguments)
    assert code == 2
    assert f"Invalid value for '{arguments[0]}'" in text


def test_a_second_currency() -> None:
    found = exchange_rate("JPY", "150.25@2026-11-18", TODAY)
    assert found is not None
    assert (found.currency, found.rate, found.age_days) == ("JPY", Decimal("150.25"), 2)
    assert exchange_rate(None, None, TODAY) is None


@pytest.mark.parametrize(("currency", "fx"), [("JPY", None), (None, "1@2026-11-18"), ("JPY", "x")])
def test_a_currency_needs_a_dated_rate(currency: str | None, fx: str | None) -> None:
    with pytest.raises(UserError):
        exchange_rate(currency, fx, TODAY)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "command", [("cost", "--hours"), ("check", "--offline", "--timeout"), ("check", "--lead-days")]
)
def test_numbers_are_finite(command: tuple[str, ...], value: str) -> None:
    answer = clusterwright(command[0], "configs/dev.yaml", *command[1:], value)
    assert answer.exit_code == 3
    assert "is not a number" in answer.err or "is not in the range" in answer.err


@pytest.mark.parametrize(
    "command",
    [
        ("plan", "--goal"),
        ("plan", "--tokens", "1e9", "--model"),
        ("migrate", "configs/dev.yaml", "--to", "eks", "--environment", "x", "--outputs"),
        ("render", "parallelcluster", "configs/dev-parallelcluster.yaml", "--outputs"),
        ("artefacts", "list", "--lock"),
        ("cost", "configs/dev.yaml", "--prices"),
        ("expand",),
    ],
)
def test_every_input_file_has_a_maximum_size(command: tuple[str, ...]) -> None:
    answer = clusterwright(*command, "/dev/zero")
    assert (answer.exit_code, answer.out) == (3, "")
    assert re.search(r"/dev/zero.* has more than [0-9,]+ bytes", answer.err), answer.err

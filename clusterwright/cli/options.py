"""Options and arguments that several commands share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    import datetime as dt

    from clusterwright.cost.bill_extras import Exchange

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class FiniteFloatRange(click.FloatRange):
    """A range of numbers; `nan`, which is within every range, and infinity are refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


def spec_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add CONFIG, --config and --env as `config`, `config_option` and `environment`."""
    for decorate in (
        click.option(
            "--env",
            "environment",
            metavar="NAME",
            help="Read configs/NAME.yaml, as cdk -c env=NAME does.",
        ),
        click.option(
            "-c",
            "--config",
            "config_option",
            metavar="FILE",
            type=click.Path(),
            help="The same as CONFIG.",
        ),
        click.argument("config", required=False, type=click.Path()),
    ):
        function = decorate(function)
    return function


def spec_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add CONFIG, --config and --env; the command gets the one file that is named as `path`."""

    @functools.wraps(function)
    def with_path(*args: Any, **options: Any) -> Any:
        named = [options.pop(name) for name in ("config", "config_option", "environment")]
        return function(*args, path=spec_path(*named), **options)

    return spec_options(with_path)


def spec_path(config: str | None, config_option: str | None, environment: str | None) -> Path:
    """The file that CONFIG, --config or --env names.

    Raises
    ------
    UserError
        None or several of them are given.
    """
    named = [value for value in (config, config_option, environment) if value is not None]
    if len(named) > 1:
        raise UserError(
            "the spec is named more than once", "give one of CONFIG, --config FILE and --env NAME"
        )
    if not named:
        raise UserError(
            "no spec is named",
            "give a file, such as configs/dev.yaml, or --env NAME for configs/NAME.yaml",
        )
    if environment is None:
        return Path(named[0])
    if "/" in environment or environment in ("", ".", ".."):
        raise UserError(
            f"--env must be a name, not {environment!r}", "for any other file: --config FILE"
        )
    return Path("configs") / f"{environment}.yaml"


def format_option(*formats: str) -> Decorator:
    """Add --format; the first format is the default."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Output format.",
    )


def prices_option(text: str) -> Decorator:
    """Add --prices with a help text."""
    return click.option("--prices", type=click.Path(), metavar="FILE", help=text)


def fail_on_option(text: str) -> Decorator:
    """Add --fail-on with a help text."""
    return click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "info"]),
        default="error",
        show_default=True,
        help=text,
    )


def timeout_option(seconds: float) -> Decorator:
    """Add --timeout for all AWS API calls of a command."""
    return click.option(
        "--timeout",
        "timeout_seconds",
        type=FiniteFloatRange(min=0, min_open=True),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help="Time limit for all AWS API calls together; what they would have answered later is "
        "unknown.",
    )


offline_option = click.option(
    "--offline", is_flag=True, help="Call no AWS API: rules that read the account are skipped."
)


def currency_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --currency and --fx, which `exchange_rate` reads."""
    for decorate in (
        click.option(
            "--fx",
            metavar="RATE@DATE",
            help="Units of the currency for one USD, and their date: 150.25@2026-11-20.",
        ),
        click.option(
            "--currency",
            metavar="CODE",
            help="Show a second currency beside USD, such as JPY; requires --fx.",
        ),
    ):
        function = decorate(function)
    return function


def exchange_rate(currency: str | None, fx: str | None, today: dt.date) -> Exchange | None:
    """The second currency of `--currency` and `--fx`.

    Raises
    ------
    UserError
        One of the two is wrong or missing.
    """
    from clusterwright.cost.exchange import ExchangeError, read_exchange

    try:
        return read_exchange(currency, fx, today=today)
    except ExchangeError as error:
        raise UserError(error.message, error.hint) from None

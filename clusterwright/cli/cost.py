"""`clusterwright cost`: what a cluster costs per hour, per month and per run."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.spec import (
    catalog_of_the_user,
    config_options,
    config_path,
    load_or_exit,
    show_problems,
)

if TYPE_CHECKING:
    from clusterwright.cost.user_prices import UserPrices

EXIT_CODES = """\b
Exit codes: 0 the cost, unknown lines included, is stated; 1 a budget of the spec is exceeded, or
with --strict a line is unknown; 2 a budget cannot be judged because lines are unknown; 3 the
command line, the spec or the prices are wrong.
"""


@click.command(epilog=EXIT_CODES)
@config_options
@click.option(
    "--hours",
    type=click.FloatRange(min=0, min_open=True, max=87_600),
    help="Hours of the run; `run.hours` of the spec without it.",
)
@click.option(
    "--prices",
    type=click.Path(),
    metavar="FILE",
    help="Your own rates and figures of use; prices.yaml beside the spec without it.",
)
@click.option("--strict", is_flag=True, help="An unknown line is a finding.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
)
@click.pass_context
def command(
    ctx: click.Context,
    config: str | None,
    config_option: str | None,
    environment: str | None,
    hours: float | None,
    prices: str | None,
    strict: bool,
    output_format: str,
) -> None:
    """Say what the cluster of CONFIG costs, by component, with the source and date of every price.

    What has no known price, or depends on use, is a line of its own: the total then says "at
    least". A month is 730 hours. Training plans and capacity blocks are paid in advance, so their
    price is yours to state, in prices.yaml.
    """
    import datetime as dt

    from clusterwright.catalog import load_catalog
    from clusterwright.cost.budget import gates
    from clusterwright.cost.estimate import estimate

    path = config_path(config, config_option, environment)
    spec = load_or_exit(path, command="cost", output_format=output_format)
    own = read_prices(path, prices, command="cost", output_format=output_format)
    with catalog_of_the_user():
        bill = estimate(
            spec.cluster,
            load_catalog(prices_override=own.rates),
            today=dt.datetime.now(dt.UTC).date(),
            run_hours=None if hours is None else Decimal(str(hours)),
            usage=own.usage,
        )
    found = tuple(gates(spec, bill))
    code = 0
    if any(gate.status == "fail" for gate in found) or (strict and bill.unknown):
        code = 1
    elif any(gate.status == "unknown" for gate in found):
        code = 2
    from clusterwright.render import bill as render
    from clusterwright.render.style import Style

    if output_format == "json":
        text = render.bill_json(bill, found, code, prices_file=own.file)
    elif output_format == "markdown":
        text = render.bill_markdown(bill, found)
    else:
        text = render.bill_text(bill, found, Style.of(sys.stdout))
    sys.stdout.write(text)
    ctx.exit(code)


def read_prices(
    config: Path, prices: str | None, *, command: str, output_format: str
) -> UserPrices:
    """The user's prices: the named file, else the one beside the spec; exit 3 if it is wrong."""
    from clusterwright.cost.user_prices import UserPrices
    from clusterwright.preflight import price_files
    from clusterwright.spec import SpecErrors

    path = Path(prices) if prices is not None else price_files.find(config)
    if path is None:
        return UserPrices()
    try:
        return price_files.read(path)
    except SpecErrors as errors:
        show_problems(errors, command=command, output_format=output_format)
        raise click.exceptions.Exit(3) from None

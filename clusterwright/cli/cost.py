"""`clusterwright cost`: the cost of a cluster per hour, per month and per run."""

from __future__ import annotations

import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.inputs import (
    catalog_errors,
    find_storage_or_exit,
    load_or_exit,
    read_prices,
)
from clusterwright.cli.options import (
    FiniteFloatRange,
    currency_options,
    exchange_rate,
    format_option,
    prices_option,
    spec_argument,
)

if TYPE_CHECKING:
    import datetime as dt

    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.cost.bill_extras import Spending
    from clusterwright.cost.price_book import LivePrices

EXIT_CODES = """\b
Exit codes: 0 the cost is printed, unknown lines included; 1 a budget of the spec is exceeded, or
with --strict a line is unknown; 2 a budget cannot be checked because lines are unknown, or AWS did
not answer --live or --actual; 3 the command line, the spec or the prices are wrong.
"""


@click.command(epilog=EXIT_CODES)
@spec_argument
@click.option(
    "--hours",
    type=FiniteFloatRange(min=0, min_open=True, max=87_600),
    help="Hours of the run.  [default: `run.hours` of the spec, else the plan beside it]",
)
@prices_option("Your own rates and usage.  [default: prices.yaml beside the spec]")
@click.option(
    "--live/--no-live",
    default=None,
    help="Read prices from the AWS APIs and remember them, or use neither these nor remembered "
    "ones.  [default: read them if the account can be reached]",
)
@currency_options
@click.option(
    "--actual",
    is_flag=True,
    help="Compare with the cost that Cost Explorer has for the cluster's tag.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 365),
    default=30,
    show_default=True,
    help="With --actual: number of days, up to yesterday.",
)
@click.option(
    "--retire",
    metavar="STORAGE",
    help="Print what deleting this file system saves: its name, mount path or id.",
)
@click.option("--strict", is_flag=True, help="Treat an unknown line as a finding.")
@format_option("text", "json", "markdown")
@click.pass_context
def command(
    ctx: click.Context,
    path: Path,
    hours: float | None,
    prices: str | None,
    live: bool | None,
    currency: str | None,
    fx: str | None,
    actual: bool,
    days: int,
    retire: str | None,
    strict: bool,
    output_format: str,
) -> None:
    """Print the cost of the cluster of CONFIG by component, with source and date of every price.

    Your own rates take precedence, then those that AWS states now, then the newer of those that it
    stated before and the dated catalogue. An item without a known price, or that depends on usage,
    has its own line, and the total then says "at least". If instances have no price, the first
    lines are a scenario with another price of the same place. A month is 730 hours. Training plans
    and capacity blocks are paid in advance: state what you paid in prices.yaml, or read it from
    AWS with --live.
    """
    import datetime as dt

    from clusterwright.catalog import load_catalog
    from clusterwright.cost.bill_extras import CostExtras
    from clusterwright.cost.budget import gates
    from clusterwright.cost.estimate import estimate
    from clusterwright.cost.retiring import saving
    from clusterwright.cost.spending_comparison import compare
    from clusterwright.render import bill as render
    from clusterwright.render.style import Style

    today = dt.datetime.now(dt.UTC).date()
    exchange = exchange_rate(currency, fx, today)
    spec = load_or_exit(path, command="cost", output_format=output_format)
    own = read_prices(path, prices, command="cost", output_format=output_format)
    storage = None if retire is None else find_storage_or_exit(spec.cluster, retire)
    answers = _ask_aws(spec.cluster, today, live=live, days=days if actual else None)
    run_hours, where = _run_hours(path, spec.cluster, hours)
    with catalog_errors():
        bill = estimate(
            spec.cluster,
            load_catalog(prices_override=own.rates),
            today=today,
            run_hours=run_hours,
            run_hours_from=where,
            usage=own.usage,
            terms=own.terms,
            live=answers.prices,
        )
    found = tuple(gates(spec, bill))
    code = 0
    if any(gate.status == "fail" for gate in found) or (strict and bill.unknown):
        code = 1
    elif (answers.unanswered and (live or actual)) or any(
        gate.status == "unknown" for gate in found
    ):
        code = 2
    extras = CostExtras(
        exchange=exchange,
        saving=None if storage is None else saving(bill, storage),
        comparison=None if answers.spending is None else compare(bill, answers.spending),
        live=answers.unanswered if answers.asked else None,
        remembered_in=answers.remembered_in,
        asked_for_prices=answers.asked_for_prices,
    )
    if output_format == "json":
        from clusterwright.json_output.cost import cost_json

        text = cost_json(bill, found, code, prices_file=own.file, extras=extras)
    elif output_format == "markdown":
        text = render.bill_markdown(bill, found, extras=extras)
    else:
        text = render.bill_text(bill, found, Style.of(sys.stdout), extras=extras)
    sys.stdout.write(text)
    ctx.exit(code)


def _run_hours(
    path: Path, cluster: Cluster, hours: float | None
) -> tuple[Decimal | None, str | None]:
    """Hours of the run and their source; None where the spec states them.

    Raises
    ------
    UserError
        The plan beside the spec cannot be read.
    """
    from clusterwright.pricing import plan_files

    if hours is not None:
        return Decimal(str(hours)), "--hours"
    if cluster.run is not None:
        return None, None
    name = plan_files.plan_path(path).name
    try:
        plan = plan_files.plan_beside(path)
    except plan_files.InvalidPlan as error:
        raise UserError(str(error), f"--hours, run.hours in the spec, or remove {name}") from None
    found = None if plan is None else plan_files.run_hours(plan)
    return (None, None) if found is None else (Decimal(found), f"P90 of {name}")


class _Answers(NamedTuple):
    """What AWS answered, and sentences about what it did not."""

    prices: LivePrices | None
    spending: Spending | None
    unanswered: tuple[str, ...]
    asked: bool = False
    asked_for_prices: bool = False
    remembered_in: str | None = None


def _in_reach(region: str) -> bool:
    """Whether prices are read without `--live`."""
    from clusterwright.aws.reachability import price_list_in_reach
    from clusterwright.pricing import remembered_prices

    if os.environ.get(remembered_prices.SETTING) == remembered_prices.NEVER:
        return False
    return price_list_in_reach(os.environ, region)


def _ask_aws(cluster: Cluster, today: dt.date, *, live: bool | None, days: int | None) -> _Answers:
    """Prices of AWS and remembered ones, and the actual cost of `days` days if they are given."""
    from clusterwright.pricing import remembered_prices

    region = cluster.region
    earlier = None if live is False else remembered_prices.recall(os.environ, region)
    live = _in_reach(region) if live is None else live
    if not live and days is None:
        return _Answers(earlier, None, ())
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.aws.session import AwsSession
    from clusterwright.catalog import load_catalog
    from clusterwright.cli.progress import ProgressLine

    session = AwsSession(cluster.region)
    progress = ProgressLine(sys.stderr, "reading from AWS")
    prices, spending, kept = earlier, None, None
    unanswered: list[str] = []
    try:
        if live:
            from clusterwright.pricing import live_prices

            with catalog_errors():
                prices = live_prices.fetch(
                    session, cluster, load_catalog(), today=today, progress=progress.show
                )
            unanswered += [f"{refusal.message} ({refusal.hint})" for refusal in prices.refusals]
            kept = _remember(prices, session, region)
            prices = remembered_prices.with_remembered(prices, os.environ, region)
        if days is not None:
            from clusterwright.pricing import actual_costs

            try:
                spending = actual_costs.spending(session, cluster, days=days, today=today)
                unanswered += spending.notes
            except AwsUnavailable as refusal:
                unanswered.append(f"{refusal.message} ({refusal.hint})")
    finally:
        progress.clear()
    return _Answers(
        prices,
        spending,
        tuple(unanswered),
        asked=True,
        asked_for_prices=live,
        remembered_in=kept,
    )


def _remember(prices: LivePrices, session: AwsSession, region: str) -> str | None:
    """Keep the prices for later, if AWS stated them; return the file."""
    from clusterwright.aws.pricing import asks_aws
    from clusterwright.pricing import remembered_prices

    if not prices.count or not asks_aws(session, region):
        return None
    path = remembered_prices.remember(os.environ, region, prices)
    return None if path is None else str(path)

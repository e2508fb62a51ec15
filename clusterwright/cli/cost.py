"""`clusterwright cost`: what a cluster costs per hour, per month and per run."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from clusterwright.cli.errors import UserError
from clusterwright.cli.spec import (
    catalog_of_the_user,
    config_options,
    config_path,
    load_or_exit,
    show_problems,
)

if TYPE_CHECKING:
    import datetime as dt

    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.cost.bill_extras import FileSystemRef, Spending
    from clusterwright.cost.price_book import LivePrices
    from clusterwright.cost.user_prices import UserPrices

EXIT_CODES = """\b
Exit codes: 0 the cost, unknown lines included, is stated; 1 a budget of the spec is exceeded, or
with --strict a line is unknown; 2 a budget cannot be judged because lines are unknown, or AWS did
not answer --live or --actual; 3 the command line, the spec or the prices are wrong.
"""


@click.command(epilog=EXIT_CODES)
@config_options
@click.option(
    "--hours",
    type=click.FloatRange(min=0, min_open=True, max=87_600),
    help="Hours of the run; without it `run.hours` of the spec, else the plan beside it.",
)
@click.option(
    "--prices",
    type=click.Path(),
    metavar="FILE",
    help="Your own rates and figures of use; prices.yaml beside the spec without it.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Ask AWS's APIs for prices; the dated catalogue where they have none.",
)
@click.option(
    "--currency",
    metavar="CODE",
    help="Show a second currency beside USD, such as JPY; needs --fx.",
)
@click.option(
    "--fx",
    metavar="RATE@DATE",
    help="How much of the currency one USD was worth, and when: 150.25@2026-11-20.",
)
@click.option(
    "--actual",
    is_flag=True,
    help="Compare with what Cost Explorer has for the cluster's tag.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 365),
    default=30,
    show_default=True,
    help="With --actual: how many days, the last of which is yesterday.",
)
@click.option(
    "--retire",
    metavar="STORAGE",
    help="Say what deleting this file system saves: its name, mount path or id.",
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
    live: bool,
    currency: str | None,
    fx: str | None,
    actual: bool,
    days: int,
    retire: str | None,
    strict: bool,
    output_format: str,
) -> None:
    """Say what the cluster of CONFIG costs, by component, with the source and date of every price.

    Your own rates come first, then AWS's with --live, then the dated catalogue. What has no known
    price, or depends on use, is a line of its own: the total then says "at least". A month is 730
    hours. Training plans and capacity blocks are paid in advance: what was paid is yours to state,
    in prices.yaml, or with --live AWS's.
    """
    import datetime as dt

    from clusterwright.catalog import load_catalog
    from clusterwright.cli import given
    from clusterwright.cost.bill_extras import CostExtras
    from clusterwright.cost.budget import gates
    from clusterwright.cost.estimate import estimate
    from clusterwright.cost.retiring import saving
    from clusterwright.cost.spending_comparison import compare
    from clusterwright.render import bill as render
    from clusterwright.render.style import Style

    path = config_path(config, config_option, environment)
    today = dt.datetime.now(dt.UTC).date()
    exchange = given.exchange(currency, fx, today)
    spec = load_or_exit(path, command="cost", output_format=output_format)
    own = read_prices(path, prices, command="cost", output_format=output_format)
    storage = None if retire is None else find_storage_or_exit(spec.cluster, retire)
    asked = _asked(spec.cluster, today, live=live, days=days if actual else None)
    run_hours, where = _run_hours(path, spec.cluster, hours)
    with catalog_of_the_user():
        bill = estimate(
            spec.cluster,
            load_catalog(prices_override=own.rates),
            today=today,
            run_hours=run_hours,
            run_hours_from=where,
            usage=own.usage,
            terms=own.terms,
            live=asked.prices,
        )
    found = tuple(gates(spec, bill))
    code = 0
    if any(gate.status == "fail" for gate in found) or (strict and bill.unknown):
        code = 1
    elif asked.unanswered or any(gate.status == "unknown" for gate in found):
        code = 2
    extras = CostExtras(
        exchange=exchange,
        saving=None if storage is None else saving(bill, storage),
        comparison=None if asked.spending is None else compare(bill, asked.spending),
        live=asked.unanswered if live or actual else None,
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
    """Hours of the run and where they are from; the spec's own are left to the estimate.

    Raises
    ------
    UserError
        The plan beside the spec is wanted, and is none.
    """
    from clusterwright.review import plan_file

    if hours is not None:
        return Decimal(str(hours)), "--hours"
    if cluster.run is not None:
        return None, None
    name = plan_file.plan_path(path).name
    try:
        plan = plan_file.plan_beside(path)
    except plan_file.BadPlan as error:
        raise UserError(str(error), f"--hours, run.hours in the spec, or remove {name}") from None
    found = None if plan is None else plan_file.run_hours(plan)
    return (None, None) if found is None else (Decimal(found), f"P90 of {name}")


class _Answers(NamedTuple):
    """What AWS was asked for, and in words what it did not answer."""

    prices: LivePrices | None
    spending: Spending | None
    unanswered: tuple[str, ...]


def _asked(cluster: Cluster, today: dt.date, *, live: bool, days: int | None) -> _Answers:
    """Live prices, if they are wanted, and what was spent over `days`, if it is."""
    if not live and days is None:
        return _Answers(None, None, ())
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.aws.session import AwsSession
    from clusterwright.catalog import load_catalog
    from clusterwright.cli.progress import ProgressLine

    session = AwsSession(cluster.region)
    progress = ProgressLine(sys.stderr, "asking AWS")
    prices, spending = None, None
    unanswered: list[str] = []
    try:
        if live:
            from clusterwright.pricing import live_prices

            with catalog_of_the_user():
                prices = live_prices.fetch(
                    session, cluster, load_catalog(), today=today, progress=progress.show
                )
            unanswered += [f"{refusal.message} ({refusal.hint})" for refusal in prices.refusals]
        if days is not None:
            from clusterwright.pricing import actual_costs

            try:
                spending = actual_costs.spending(session, cluster, days=days, today=today)
                unanswered += spending.notes
            except AwsUnavailable as refusal:
                unanswered.append(f"{refusal.message} ({refusal.hint})")
    finally:
        progress.clear()
    return _Answers(prices, spending, tuple(unanswered))


def find_storage_or_exit(cluster: Cluster, text: str) -> FileSystemRef:
    """The file system of the spec that `--retire` means. Raises UserError where there is none."""
    from clusterwright.cost.retiring import find_storage, storages

    found = find_storage(cluster, text)
    if found is None:
        known = ", ".join(f"{one.name} ({one.mount_path})" for one in storages(cluster))
        raise UserError(
            f"--retire: the spec has no file system {text!r}",
            f"it has {known}" if known else "it has none",
        )
    return found


def read_prices(
    config: Path, prices: str | None, *, command: str, output_format: str
) -> UserPrices:
    """The user's prices: the named file, else the one beside the spec; exit 3 if it is wrong."""
    from clusterwright.cluster_spec import SpecErrors
    from clusterwright.cost.user_prices import UserPrices
    from clusterwright.pricing import price_files

    path = Path(prices) if prices is not None else price_files.find(config)
    if path is None:
        return UserPrices()
    try:
        return price_files.read(path)
    except SpecErrors as errors:
        show_problems(errors, command=command, output_format=output_format)
        raise click.exceptions.Exit(3) from None

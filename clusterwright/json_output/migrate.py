"""The JSON output of `clusterwright migrate`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from clusterwright.cost.bill import Bill
from clusterwright.cost.headline import cost_is_unknown, short_headline
from clusterwright.json_output.base import (
    Count,
    Envelope,
    Joined,
    Output,
    Usd,
    at,
    field,
    json_text,
)
from clusterwright.migration.results import MigrationReport, Note
from clusterwright.platforms.registry import PlatformName


class MigrationTotal(Output):
    """The cost of one of the two clusters; sums of the known lines."""

    platform: PlatformName = field("The platform.")
    hourly_usd: Usd = at("total.hourly_usd", "Per hour.")
    monthly_usd: Usd = at("total.monthly_usd", "Per month of 730 hours.")
    run_usd: Usd | None = at("total.run_usd", "For the run.")
    at_least: bool = at("total.at_least", "The sums are lower bounds.")
    unknown_lines: Count = at("total.unknown_lines", "Lines not in the sums.")
    headline: str = field("The cost in a sentence.")
    cost_unknown: bool = field("The larger part of the cost has no price.")
    scenario_hourly_usd: Usd | None = at(
        "scenario.hourly_usd", "Where instances have no price: with indications, per hour."
    )
    scenario_monthly_usd: Usd | None = at("scenario.monthly_usd", "The same per month.")


def _total(bill: Bill | None) -> Joined | None:
    if bill is None:
        return None
    return Joined(bill, headline=short_headline(bill), cost_unknown=cost_is_unknown(bill))


class MigrationCosts(Output):
    """The cost of both clusters."""

    before: Annotated[MigrationTotal, BeforeValidator(_total)] = field("With the old platform.")
    after: Annotated[MigrationTotal | None, BeforeValidator(_total)] = field(
        "Null where the new spec does not load."
    )


class MigrateOutput(Envelope):
    """The new spec, and what changes with it."""

    command: Literal["migrate"] = "migrate"
    file: str = field("The spec that was migrated.")
    source: PlatformName = at("migration.source", "Its platform.", serialization_alias="from")
    target: PlatformName = at("migration.target", "The new platform.", serialization_alias="to")
    written: str | None = field("The file that was written.")
    spec: str = at("migration.text", "The text of the new spec.")
    decisions: tuple[Note, ...] = at(
        "migration.decisions", "What was decided, and may be decided otherwise."
    )
    open: tuple[Note, ...] = field(
        "What must be decided before it passes.", validation_alias="open_points"
    )
    unknown: tuple[Note, ...] = field("What could not be checked.")
    lost: tuple[Note, ...] = at("migration.lost", "What the new platform does not support.")
    gained: tuple[Note, ...] = at("migration.gained", "What the new platform adds.")
    moves: tuple[Note, ...] = at("migration.moves", "What must be moved or sized again.")
    in_place: tuple[Note, ...] = at(
        "migration.in_place", "The order of steps under the same name."
    )
    cost: MigrationCosts = field("Cost before and after.", validation_alias="costs")


OUTPUTS = (MigrateOutput,)


def migrate_json(report: MigrationReport, exit_code: int) -> str:
    """A migration as JSON."""
    return json_text(MigrateOutput, report, exit_code=exit_code)

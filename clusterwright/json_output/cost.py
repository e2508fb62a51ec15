"""The JSON output of `clusterwright cost`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from clusterwright.cost.bill import HOURS_PER_MONTH, Bill, Gate, Line, Origin
from clusterwright.cost.bill_extras import CostExtras, Exchange
from clusterwright.cost.headline import basis_text, cost_is_unknown, short_headline
from clusterwright.json_output.base import (
    Count,
    Envelope,
    Joined,
    NotNegative,
    Number,
    Output,
    Positive,
    Usd,
    UsdChange,
    at,
    field,
    json_text,
    optional,
)

SomeUnknown = Annotated[bool, BeforeValidator(lambda lines: bool(lines))]


class ExchangedLine(Output):
    """The amounts of a line in the second currency."""

    hourly: Usd | None = field("Per hour.")
    monthly: Usd | None = field("Per month.")


class IndicationOutput(Output):
    """Another price that shows what a line without a price may cost; in no sum of the bill."""

    basis: str = field("What the price is, and which price it is not.")
    unit_price_usd: NotNegative = field("Per unit of the line.", validation_alias="usd")
    source: str = field("Source of the price.")
    date: str = field("Date of the price, as its source states it.")


class LineOutput(Output):
    """One line of the bill."""

    component: str = field("The part of the cluster, such as `compute`.")
    item: str = field("What is paid for.")
    quantity: NotNegative | None = field("Null where it depends on usage.")
    unit: str = field("Unit of the price, such as `instance-hour`.")
    unit_price_usd: NotNegative | None = field("Null where the price is unknown.")
    hourly_usd: Usd | None = field("Null where it is unknown.")
    monthly_usd: Usd | None = field("For 730 hours; null where it is unknown.")
    source: str | None = field("Source of the price.")
    date: str | None = field("Date of the price, as its source states it.")
    stale: bool = field("The price is older than 90 days, or has no date.")
    path: str = field("The key of the spec that the line follows from.")
    note: str | None = field("What to know about the line.")
    reason: str | None = field("Why the price or the quantity is unknown.")
    effect: str | None = field("What the unknown line does to the total.")
    settle_with: str | None = field(
        "The entry of prices.yaml that would state the price.", validation_alias="rate"
    )
    origin: Origin | None = field("Who states the price.")
    age_days: int | None = field("Age of the price.")
    group: str | None = field("The compute group that the line belongs to.")
    by_use: bool = field("Charged by usage only.")
    indication: IndicationOutput | None = field(
        "Where the price is unknown: another price in the same place."
    )
    indicative_hourly_usd: Usd | None = field("The amount, at the indication if needed.")
    indicative_monthly_usd: Usd | None = field("The same for 730 hours.")
    exchanged: ExchangedLine | None = optional("With --currency: the amounts in that currency.")


class Sums(Output):
    """Sums of the known lines."""

    hourly_usd: Usd = field("Per hour.")
    monthly_usd: Usd = field("Per month of 730 hours.")


class TotalOutput(Sums):
    """The total of the known lines."""

    run_usd: Usd | None = field("For the run; null without its hours.")
    at_least: bool = field("Some lines are unknown: the sums are lower bounds.")
    unknown_lines: Count = field("Lines that are not in the sums.")


def _groups(lines: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.group or line.item for line in lines))


class ScenarioOutput(Sums):
    """Sums of the known lines and of the indications of lines without a price."""

    run_usd: Usd | None = field("For the run; null without its hours.")
    basis: str = field("The prices of the scenario, and where they are used.")
    groups: Annotated[tuple[str, ...], BeforeValidator(_groups)] = field(
        "Groups whose price is an indication.", validation_alias="lines"
    )
    without: Annotated[tuple[str, ...], BeforeValidator(_groups)] = field(
        "Groups with neither a price nor an indication; they are not in the sums."
    )


class GateOutput(Output):
    """A budget of the spec and what the bill comes to."""

    path: str = field("The key of the budget.")
    status: Literal["pass", "fail", "unknown"] = field("The result.")
    limit_usd: Number = field("The budget.")
    known_usd: Usd | None = field("What the known lines come to.")
    message: str = field("The result in a sentence.")


class IdleOutput(Output):
    """Cost while no job runs; sums of the known lines."""

    hourly_usd: Usd = field("Per hour.")
    at_zero_hourly_usd: Usd = field("With every compute group at 0 instances.")
    released_hourly_usd: Usd = field("What that saves per hour.")
    outside_run_usd: Usd | None = field("Hours of a month outside the run.")
    at_least: SomeUnknown = at("unknown_lines", "The sums are lower bounds.")
    unknown_lines: Count = field("Lines that are not in the sums.")


class UnusedOutput(Output):
    """Capacity that is paid for and not used; part of the total."""

    group: str | None = field("The compute group.")
    why: str = field("Why it is unused.")
    instances: NotNegative | None = field("Null where they cannot be counted.")
    hourly_usd: Usd | None = field("Per hour; null where no price is known.")
    run_usd: Usd | None = field("Over the run; null without its hours.")


class PrepaidOutput(Output):
    """A training plan or capacity block that was bought."""

    id: str = field("Its id.")
    instances: Count = field("Instances that were bought.")
    hours: NotNegative = field("Hours of each instance.")
    upfront_usd: NotNegative = field("What was paid.")
    usd_per_instance_hour: Usd = field("The quotient.")
    start: str | None = field("First day.")
    end: str | None = field("Last day.")
    source: str = field("Source of the price.")
    date: str = field("Date of the price.")
    origin: Origin = field("Who states the price.")


class ShareOutput(Output):
    """One kind of capacity within a blend."""

    kind: str = field("Kind of capacity.")
    instances: Count = field("Instances of the kind.")
    usd_per_instance_hour: Usd | None = field("Null where no price is known.")


class FallbackOutput(Output):
    """The cost if every instance of the group came from one kind of capacity."""

    kind: str = field("Kind of capacity.")
    usd_per_instance_hour: Usd | None = field("Null where no price is known.")
    hourly_usd: Usd | None = field("Of all instances.")


def _fallback(share: Any) -> Joined:
    rate = share.usd_per_instance_hour
    return Joined(share, hourly_usd=None if rate is None else rate * share.instances)


class BlendOutput(Output):
    """A group that mixes kinds of capacity."""

    group: str = field("The compute group.")
    instances: Count = field("Its instances.")
    usd_per_instance_hour: Usd | None = field("On average.")
    hourly_usd: Usd | None = field("Of the group.")
    shares: tuple[ShareOutput, ...] = field("The kinds of capacity.")
    fallbacks: tuple[Annotated[FallbackOutput, BeforeValidator(_fallback)], ...] = field(
        "For each kind that the group may fall back to."
    )


class GrowthOutput(Output):
    """The cost with every group at its max_count."""

    groups: tuple[str, ...] = field("The groups that may grow.")
    hourly_usd: Usd = at("total.hourly_usd", "Per hour.")
    monthly_usd: Usd = at("total.monthly_usd", "Per month.")
    at_least: bool = at("total.at_least", "The sums are lower bounds.")
    unknown_lines: Count = at("total.unknown_lines", "Lines not in the sums.")


class LiveOutput(Output):
    """What AWS was asked for."""

    unanswered: tuple[str, ...] = field("What AWS did not answer, in sentences.")
    remembered_in: str | None = field("The file that keeps the prices that AWS stated.")


class ExchangedTotal(Output):
    """The total in the second currency."""

    hourly: Usd = field("Per hour.")
    monthly: Usd = field("Per month.")
    run: Usd | None = field("For the run.")
    at_least: bool = field("The sums are lower bounds.")


class ExchangeOutput(Output):
    """The second currency."""

    currency: str = field("ISO 4217 code.")
    rate: Number = field("Units of the currency for one USD.")
    date: dt.date = field("Date of the rate.")
    age_days: int = field("Age of the rate.")
    stale: bool = field("The rate is older than 90 days.")
    total: ExchangedTotal = field("The total in the currency.")


class SavingOutput(Output):
    """What deleting a file system saves."""

    storage: str = at("storage.name", "Its name.")
    mount_path: str = at("storage.mount_path", "Its mount path.")
    existing: bool = at("storage.existing", "It exists outside the stacks.")
    hourly_usd: Usd | None = field("Per hour; null for an external file system.")
    monthly_usd: Usd | None = field("Per month; null for an external file system.")
    at_least: bool = field("The sums are lower bounds.")
    lines: tuple[str, ...] = field("The items of the bill that end.")


class TagOutput(Output):
    """The cost allocation tag."""

    key: str = field("Key of the tag.", validation_alias="tag")
    value: str = field("Value of the tag.")
    status: str | None = field("Its status in Cost Explorer.", validation_alias="tag_status")


class ComparisonRow(Output):
    """Expected and actual cost of one family of services."""

    family: str = field("The family of services.")
    expected_usd: Usd = field("Known lines of the bill over the days with cost.")
    actual_usd: Usd = field("What Cost Explorer has.")
    difference_usd: UsdChange = field("Actual less expected.")
    unknown_lines: Count = field("Lines of the bill that are not in expected_usd.")


def _by_service(costs: Any) -> Any:
    return None if costs is None else {name: costs[name] for name in sorted(costs)}


class ComparisonOutput(Output):
    """The bill compared with Cost Explorer."""

    tag: TagOutput = field("The tag of the cluster.", validation_alias="spending")
    start: dt.date = at("spending.start", "First day.")
    end: dt.date = at("spending.end", "The day after the last one.")
    days_with_cost: Count = at("spending.days_with_cost", "Days with any cost.")
    last_day: dt.date | None = at("spending.last_day", "The last day with cost.")
    estimated: bool = at("spending.estimated", "As Cost Explorer states.")
    expected_usd: Usd = field("Known lines of the bill over the days with cost.")
    actual_usd: Usd = at("spending.total_usd", "What Cost Explorer has.")
    difference_usd: UsdChange = field("Actual less expected.")
    untagged_usd: Usd | None = field("Cost without the tag, of the whole account.")
    untagged_by_service: Annotated[dict[str, Usd] | None, BeforeValidator(_by_service)] = at(
        "spending.untagged_by_service", "The same by service."
    )
    rows: tuple[ComparisonRow, ...] = field("By family of services.")
    notes: tuple[str, ...] = field("What to know about the comparison.")


class CostOutput(Envelope):
    """The bill of a cluster."""

    command: Literal["cost"] = "cost"
    environment: str = field("The cluster's name.")
    region: str = field("Its region.")
    platform: str = field("Its platform.")
    currency: Literal["USD"] = Field(default="USD", description="Currency of every `_usd` key.")
    hours_per_month: Literal[730] = Field(
        default=HOURS_PER_MONTH, description="Hours of a month, 365 × 24 / 12."
    )
    run_hours: Positive | None = field("Hours of the run.")
    run_hours_from: str | None = field("Where the hours were read.")
    prices_file: str | None = field("The user's price file.")
    lines: tuple[LineOutput, ...] = field("The bill, by component.")
    total: TotalOutput = field("Sums of the known lines.")
    headline: str = field("The cost in a sentence.")
    cost_unknown: bool = field("The larger part of the cost has no price.")
    scenario: ScenarioOutput | None = field(
        "Where instances have no price: the sums with the indications."
    )
    gates: tuple[GateOutput, ...] = field("The budgets of the spec.")
    idle: IdleOutput = field("Cost while no job runs.")
    unused: tuple[UnusedOutput, ...] = field("Paid for and not used.")
    prepaid: tuple[PrepaidOutput, ...] = field("Capacity that was bought in advance.")
    blends: tuple[BlendOutput, ...] = field("Groups that mix kinds of capacity.")
    growth: GrowthOutput | None = field("Where a group has a max_count.")
    warnings: tuple[str, ...] = field("What to know about the bill.")
    live: LiveOutput | None = field("Where AWS was asked: --live, --actual, or by default.")
    exchange: ExchangeOutput | None = field("With --currency.")
    retire: SavingOutput | None = field("With --retire.")
    actual: ComparisonOutput | None = field("With --actual.")


OUTPUTS = (CostOutput,)


def cost_json(
    bill: Bill,
    gates: Sequence[Gate],
    exit_code: int,
    *,
    prices_file: str | None = None,
    extras: CostExtras | None = None,
) -> str:
    """A bill as JSON."""
    extras = extras or CostExtras()
    exchange, saving, comparison = extras.exchange, extras.saving, extras.comparison
    total, scenario = bill.total, bill.scenario
    return json_text(
        CostOutput,
        bill,
        exit_code=exit_code,
        prices_file=prices_file,
        gates=tuple(gates),
        lines=bill.lines if exchange is None else tuple(_exchanged(bill.lines, exchange)),
        headline=short_headline(bill),
        cost_unknown=cost_is_unknown(bill),
        scenario=scenario and Joined(scenario, basis=basis_text(scenario)),
        live=None
        if extras.live is None
        else {
            "unanswered": extras.live,
            "remembered_in": extras.remembered_in,
        },
        exchange=exchange
        and Joined(
            exchange,
            total={
                "hourly": exchange.of(total.hourly_usd),
                "monthly": exchange.of(total.monthly_usd),
                "run": exchange.of(total.run_usd),
                "at_least": total.at_least,
            },
        ),
        retire=saving
        and Joined(
            saving,
            at_least=saving.unknown_lines > 0 or saving.storage.existing,
            lines=tuple(line.item for line in saving.lines),
        ),
        actual=comparison
        and Joined(
            comparison,
            difference_usd=comparison.spending.total_usd - comparison.expected_usd,
        ),
    )


def _exchanged(lines: Sequence[Line], exchange: Exchange) -> list[Joined]:
    def amounts(line: Line) -> dict[str, Decimal | None]:
        hourly, monthly = exchange.of(line.hourly_usd), exchange.of(line.monthly_usd)
        return {"hourly": hourly, "monthly": monthly}

    return [Joined(line, exchanged=amounts(line)) for line in lines]

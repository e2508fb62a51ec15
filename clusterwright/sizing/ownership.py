"""Break-even of buying accelerators compared with renting them.

Owning costs the purchase less its resale value, and per hour of use the power of the machines and
of cooling; idle hours cost the idle power. Renting costs the rate for the hours of use. The
break-even is in hours of use, and in years at a stated use. No price, tariff or resale value is
built in: they are the user's. If the owned accelerators are named, `rent_of_the_run` returns the
rent per hour of their use: the rent of the planned run, over the hours of the same run on the
owned accelerators.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Explained

HOURS_PER_YEAR: Final = 8760.0


@dataclass(frozen=True)
class Owned:
    """Hardware to buy; amounts in the currency of the rent.

    Attributes
    ----------
    purchase:
        Machines, network and installation.
    watts, idle_watts:
        Power at work and idle, without cooling.
    tariff_per_kwh:
        Of electricity.
    cooling:
        Power usage effectiveness (PUE); 1.0 without cooling.
    resale_share:
        Share of the purchase price after `years`.
    utilisation:
        Share of the hours of use.
    yearly:
        Other costs per year: space, staff, support contracts.
    """

    purchase: float
    watts: float
    tariff_per_kwh: float
    years: float = 3.0
    cooling: float = 1.0
    resale_share: float = 0.0
    utilisation: float = 1.0
    yearly: float = 0.0
    idle_watts: float = 0.0


@dataclass(frozen=True)
class BreakEven:
    """Cost of owning and renting.

    Attributes
    ----------
    owned_total, rented_total:
        Over `years` at the stated use.
    owned_per_hour:
        Of use, all costs included.
    hours, years:
        Of use and of the calendar until the purchase, less resale, is paid back; `None` if
        renting an hour costs less than the power of an owned hour.
    utilisation:
        Share of the hours of `years` above which owning is cheaper; `None` if it never is.
    """

    owned_total: float
    rented_total: float
    owned_per_hour: float
    hours: float | None
    years: float | None
    utilisation: float | None
    cheaper: str
    explained: tuple[Explained, ...]


def rent_of_the_run(rented_usd: float, owned_days: float) -> float:
    """Dollars of rent that an hour of owned hardware replaces.

    Parameters
    ----------
    rented_usd:
        Of the whole run on the rented cluster.
    owned_days:
        Of the same run on the owned one.
    """
    return rented_usd / (owned_days * 24)


def break_even(owned: Owned, rent_per_hour: float) -> BreakEven:
    """Compare owning with renting for the same work.

    Parameters
    ----------
    rent_per_hour:
        Of rented capacity that does the same work in an hour, in the currency of `owned`.

    Raises
    ------
    GoalError
        A figure is out of range.
    """
    _check(owned, rent_per_hour)
    hours = owned.years * HOURS_PER_YEAR
    used = hours * owned.utilisation
    per_hour = owned.watts / 1000 * owned.cooling * owned.tariff_per_kwh
    idle_per_hour = owned.idle_watts / 1000 * owned.cooling * owned.tariff_per_kwh
    net = owned.purchase * (1 - owned.resale_share)
    standing = owned.yearly * owned.years + idle_per_hour * (hours - used)
    total = net + standing + per_hour * used
    rented = rent_per_hour * used
    # Idle power and yearly costs accrue by the calendar, so they lower the saving of an hour.
    saved_per_calendar_hour = (
        owned.utilisation * (rent_per_hour - per_hour)
        - (1 - owned.utilisation) * idle_per_hour
        - owned.yearly / HOURS_PER_YEAR
    )
    calendar = net / saved_per_calendar_hour if saved_per_calendar_hour > 0 else None
    fixed = net + owned.yearly * owned.years + idle_per_hour * hours
    gain = (rent_per_hour - per_hour + idle_per_hour) * hours
    share = fixed / gain if gain > 0 else math.inf
    return BreakEven(
        owned_total=total,
        rented_total=rented,
        owned_per_hour=total / used,
        hours=calendar * owned.utilisation if calendar is not None else None,
        years=calendar / HOURS_PER_YEAR if calendar is not None else None,
        utilisation=share if share <= 1 else None,
        cheaper="owned" if total < rented else "rented",
        explained=(
            Explained(
                "power of an hour of use",
                "W / 1000 x cooling x tariff",
                f"{owned.watts:g} / 1000 x {owned.cooling:g} x {owned.tariff_per_kwh:g}",
                per_hour,
                "per hour",
                "your figures",
            ),
            Explained(
                "owning",
                "purchase (1 - resale) + yearly + power",
                f"{owned.purchase:g} x (1 - {owned.resale_share:g}) + {standing:.6g} + "
                f"{per_hour * used:.6g}",
                total,
                f"over {owned.years:g} years",
                "your figures",
            ),
            Explained(
                "renting",
                "rate x hours of use",
                f"{rent_per_hour:g} x {used:.6g}",
                rented,
                f"over {owned.years:g} years",
                "rate and source of the candidate",
            ),
        ),
    )


def _check(owned: Owned, rent_per_hour: float) -> None:
    shares = {"utilisation": owned.utilisation, "resale share": owned.resale_share}
    for name, value in shares.items():
        if not 0 <= value <= 1:
            raise GoalError(f"{name} is {value:g}", "must be between 0 and 1", field="owned")
    if owned.utilisation == 0:
        raise GoalError("utilisation is 0, so the purchase is never paid back", field="owned")
    amounts = {
        "purchase": owned.purchase,
        "power": owned.watts,
        "tariff": owned.tariff_per_kwh,
        "idle power": owned.idle_watts,
        "yearly cost": owned.yearly,
        "rent": rent_per_hour,
    }
    for name, value in amounts.items():
        if not math.isfinite(value) or value < 0:
            raise GoalError(f"{name} is {value:g}", "must not be negative", field="owned")
    if not 0 < owned.years < math.inf:
        raise GoalError(f"{owned.years:g} years", "must be positive", field="owned")
    if not 1 <= owned.cooling < math.inf:
        raise GoalError(
            f"cooling is {owned.cooling:g}", "PUE, at least 1.0, such as 1.3", field="owned"
        )

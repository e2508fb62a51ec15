"""`localaws verify`: runs probes against the endpoint that the user names, within a budget."""

from __future__ import annotations

import fnmatch
import math
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clusterwright_localaws.probes.calls import Caller, NoAnswer
from clusterwright_localaws.probes.library import creates, price_usd
from clusterwright_localaws.probes.model import Call, Probe
from clusterwright_localaws.probes.running import (
    DELETION_TIMEOUT_S,
    Clock,
    Interrupted,
    ProbeRun,
    Result,
)

_ENOUGH: Final = 1e-9


class VerifyError(Exception):
    """The run is refused before it calls anything."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class NoIdentity(Exception):
    """The endpoint does not say whose credentials these are."""


@dataclass(frozen=True)
class Selection:
    """The probes of a run: those that run, those that do not, and the most that they cost."""

    chosen: tuple[Probe, ...]
    left_out: tuple[Result, ...]
    cost_usd: float


@dataclass
class Report:
    """What a run found. `account` is never printed as it is."""

    run: str
    account: str
    region: str
    results: list[Result] = field(default_factory=list)
    cost_usd: float = 0.0
    interrupted: bool = False

    @property
    def left_behind(self) -> list[str]:
        return [f"{one.probe.id}: {item}" for one in self.results for item in one.left_behind]

    @property
    def exit_code(self) -> int:
        """130 after an interruption; else 1 for a difference or a leftover, 2 if something is
        unknown, 0.
        """
        if self.interrupted:
            return 130
        verdicts = {one.verdict for one in self.results}
        if "different" in verdicts or self.left_behind:
            return 1
        return 2 if "unknown" in verdicts else 0


def select(
    probes: Iterable[Probe],
    patterns: Sequence[str] = (),
    *,
    create: bool = False,
    budget_usd: float | None = None,
    stated_usd: Mapping[str, float] | None = None,
) -> Selection:
    """Choose probes and sum what they cost.

    Parameters
    ----------
    patterns:
        Ids, with wildcards, of the probes to run; all of them by default.
    create:
        Whether probes may run that create or change something.
    budget_usd:
        The most that the run may cost, in USD.
    stated_usd:
        Prices that the user states, by id.

    Raises
    ------
    VerifyError
        No probe has such an id, a price is unknown, an amount is none, or the sum is above
        the budget.
    """
    everything = list(probes)
    unmatched = [one for one in patterns if not fnmatch.filter([p.id for p in everything], one)]
    if unmatched:
        raise VerifyError(f"no probe is called {unmatched[0]!r}", "list them with --list")
    wanted = [
        probe
        for probe in everything
        if not patterns or any(fnmatch.fnmatchcase(probe.id, one) for one in patterns)
    ]
    chosen = [probe for probe in wanted if create or not creates(probe)]
    left_out = [
        Result(probe, "not_tried", "it creates something: --create")
        for probe in wanted
        if probe not in chosen
    ]
    prices = {probe.id: (stated_usd or {}).get(probe.id, price_usd(probe)) for probe in chosen}
    unknown = [name for name, price in prices.items() if price is None]
    if unknown:
        raise VerifyError(
            f"the price of {', '.join(unknown)} is unknown",
            f"state it with --price {unknown[0]}=USD, or name other probes with --probe",
        )
    wrong = [name for name, price in prices.items() if price is not None and not _is_amount(price)]
    if wrong:
        raise VerifyError(
            f"the price of {', '.join(wrong)} is no amount",
            f"give a number from 0 with --price {wrong[0]}=USD",
        )
    cost = sum(price for price in prices.values() if price is not None)
    if create and budget_usd is None:
        raise VerifyError("--create needs a budget", "add --budget USD")
    if budget_usd is not None and not _is_amount(budget_usd):
        raise VerifyError("the budget is no amount", "give a number from 0 with --budget")
    if budget_usd is not None and cost > budget_usd + _ENOUGH:
        raise VerifyError(
            f"the probes cost up to USD {cost:.2f}, the budget is USD {budget_usd:.2f}",
            "raise --budget, or name fewer probes with --probe",
        )
    return Selection(tuple(chosen), tuple(left_out), cost)


def _is_amount(usd: float) -> bool:
    return math.isfinite(usd) and usd >= 0


def identity(caller: Caller) -> str:
    """Return the account of the credentials.

    Raises
    ------
    NoIdentity
        The endpoint does not answer, or refuses the credentials.
    """
    try:
        answer = caller(Call(service="sts", operation="GetCallerIdentity", parameters={}))
    except NoAnswer as error:
        raise NoIdentity(str(error)) from error
    if answer.code is not None:
        raise NoIdentity(f"{answer.code}: {answer.message}")
    return str(answer.members.get("Account"))


def verify(
    selection: Selection,
    caller: Caller,
    region: str,
    *,
    stop: threading.Event | None = None,
    clock: Clock | None = None,
    deletion_timeout_s: float = DELETION_TIMEOUT_S,
    progress: Callable[[int, Result], Any] = lambda number, result: None,
) -> Report:
    """Run the probes one after the other; what they create is deleted, also after a stop.

    Parameters
    ----------
    deletion_timeout_s:
        How long each deletion is tried again while the endpoint refuses it.

    Raises
    ------
    NoIdentity
        The endpoint does not say whose credentials these are; nothing was run.
    """
    account = identity(caller)
    run = secrets.token_hex(4)
    report = Report(run, account, region, cost_usd=selection.cost_usd)
    stopped = (stop or threading.Event()).is_set
    for number, probe in enumerate(selection.chosen, 1):
        if stopped():
            report.interrupted = True
            report.results.append(Result(probe, "not_tried", "interrupted"))
            continue
        names = {
            "account": account,
            "region": region,
            "run": run,
            "name": f"verify-{run}-{number}",
        }
        try:
            result = ProbeRun(
                probe,
                caller,
                names,
                stopped=stopped,
                clock=clock,
                deletion_timeout_s=deletion_timeout_s,
            ).run()
        except Interrupted as error:
            report.interrupted = True
            result = error.args[0]
        report.results.append(result)
        progress(number, result)
    report.results.extend(selection.left_out)
    return report

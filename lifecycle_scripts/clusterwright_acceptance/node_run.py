"""Run the checks of a level on this node, and write the result."""

from __future__ import annotations

import fcntl
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Optional

from clusterwright_common import installation, records, xid_history
from clusterwright_common.probe import Probe

from clusterwright_acceptance import registry, running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.journal import Journal, resumed, save
from clusterwright_acceptance.outcome import FAIL, HUNG, Outcome, failed, hung, skipped, unknown
from clusterwright_acceptance.registry import Check
from clusterwright_acceptance.verdicts import decide, waivers_of

FOLDER = "/var/lib/clusterwright/acceptance"
JOURNAL = f"{FOLDER}/journal.json"
RESULT = f"{FOLDER}/result.json"
LOCK = "/run/clusterwright/acceptance.lock"

MakeProbe = Callable[[float], Probe]


def _silent(_: str) -> None:
    pass


class AlreadyRunning(Exception):
    """Another run is in progress on this node."""


def run_level(
    level: str,
    expected: Expected,
    make_probe: MakeProbe,
    *,
    run: Optional[str] = None,
    only: Sequence[str] = (),
    clock: Callable[[], float] = time.time,
    say: Callable[[str], None] = _silent,
) -> dict[str, Any]:
    """Run the level's checks that have not passed in this run; return and write the result.

    `make_probe` gives a probe that runs commands for the seconds passed to it. With `only`, other
    checks do not run, and the node's verdict is at most unknown unless they have run before.

    Raises
    ------
    AlreadyRunning
        Another run holds the node's lock.
    OSError
        The journal cannot be written.
    """
    probe = make_probe(60.0)
    with _alone(probe):
        path = probe.path(JOURNAL)
        instance, boot = xid_history.instance_id(probe), xid_history.boot_id(probe)
        journal = resumed(records.read(path), run, instance, boot, _stamp(clock()))
        wanted = registry.checks(level, registry.NODE)
        for check in wanted:
            if (only and check.id not in only) or not journal.needs(check.id):
                continue
            journal.running = check.id
            save(path, journal)
            began = time.monotonic()
            journal.outcomes[check.id] = _run_check(check, expected, make_probe, journal)
            journal.seconds[check.id] = round(time.monotonic() - began, 3)
            journal.running = None
            save(path, journal)
            say(f"{check.id}: {journal.outcomes[check.id].verdict}")
        journal.ended_at = _stamp(clock())
        result = _result(level, expected, journal, [check.id for check in wanted], clock())
        result["program"] = _program(probe)
        # The result first: a journal that has ended without its result would start again.
        records.write(probe.path(RESULT), result)
        save(path, journal)
        return result


def planned(level: str, expected: Expected) -> list[dict[str, Any]]:
    """The checks that apply to a node, with planned seconds, for the price before a run."""
    return [
        {"id": check.id, "scope": check.scope, "planned_seconds": check.planned_seconds}
        for check in registry.checks(level)
        if check.load().applies(expected) is None
    ]


def _run_check(
    check: Check, expected: Expected, make_probe: MakeProbe, journal: Journal
) -> Outcome:
    if journal.has_crashed(check.id):
        times = journal.crashes[check.id]
        return failed(f"the machine stopped {times} times during this check", "replace")
    try:
        module = check.load()
        reason = module.applies(expected)
        if reason is not None:
            return skipped(reason)
        found: Outcome = module.look(make_probe(float(check.timeout_seconds)), expected)
    except running.Missing as error:
        return unknown(str(error))
    except running.Hung as error:
        return hung(error.program, error.seconds)
    except running.Unreadable as error:
        return unknown(str(error))
    except Exception as error:  # noqa: BLE001 - an internal error must not reject a node
        last = traceback.extract_tb(error.__traceback__)[-1]
        return unknown(f"internal error in {last.name}: {error!r}"[:200])
    return found


def _result(
    level: str, expected: Expected, journal: Journal, wanted: Sequence[str], now: float
) -> dict[str, Any]:
    waivers = waivers_of(expected.waivers)
    outcomes = {check: journal.outcomes[check] for check in wanted if check in journal.outcomes}
    verdict = decide(outcomes, expected.node, _stamp(now)[:10], waivers, wanted)
    return {
        "schema_version": 1,
        "name": expected.node,
        "group": expected.group,
        "instance_id": journal.instance_id,
        "instance_type": expected.instance_type,
        "boot_id": journal.boot,
        "run": journal.run,
        "level": level,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "action": verdict.action,
        # The controller decides again, with the comparison of nodes.
        "waivers": [dict(row) for row in expected.waivers],
        "started_at": journal.started_at,
        "ended_at": journal.ended_at,
        "checks": [
            {**outcome.to_json(check), "seconds": journal.seconds.get(check, 0.0)}
            for check, outcome in verdict.outcomes.items()
        ],
    }


def _program(probe: Probe) -> Optional[dict[str, Any]]:
    """The node program of this node, in a few words: the cluster has one for each node."""
    try:
        found = installation.read(probe.path("/"))
    except OSError:
        return None
    return None if found is None else found.in_short()


def facts_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of all checks of a result, to be compared between nodes.

    Without those of checks that failed: what is wrong with a node says nothing about the others.
    """
    found: dict[str, Any] = {}
    for row in result["checks"]:
        if row["verdict"] in (FAIL, HUNG):
            continue
        found.update({f"{row['id']}.{key}": value for key, value in row["facts"].items()})
    return found


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@contextmanager
def _alone(probe: Probe) -> Iterator[None]:
    path = probe.path(LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AlreadyRunning("another acceptance run is in progress on this node") from error
        yield

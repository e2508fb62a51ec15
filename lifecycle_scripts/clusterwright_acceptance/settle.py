"""What the results of all nodes of a group say together. Pure.

A figure without a floor is compared with the other nodes, or with the baseline that the cluster
keeps; versions and models must be equal. The node's verdict follows from its changed checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from clusterwright_acceptance import baseline, comparison, node_run
from clusterwright_acceptance.baseline import Baseline
from clusterwright_acceptance.outcome import PASS, UNKNOWN, Outcome, from_json
from clusterwright_acceptance.verdicts import Waiver, decide, waivers_of


def settle(
    results: Sequence[Mapping[str, Any]],
    today: str,
    waivers: Sequence[Waiver] = (),
    kept: Sequence[Baseline] = (),
    more: Optional[Mapping[str, Mapping[str, Outcome]]] = None,
) -> tuple[list[dict[str, Any]], list[Baseline]]:
    """The results with what only the comparison decides, and new baselines to keep.

    `results` are those of `node_run` for nodes of one group, with the waivers of each node, to
    which `waivers` are added; `more` are outcomes of tests of
    several nodes, by check and node. A check that no baseline covers yet gets one from these
    nodes, if there are enough; a later run then compares with it.
    """
    outcomes = {
        str(one["name"]): {str(row["id"]): from_json(_original(row)) for row in one["checks"]}
        for one in results
    }
    facts = {str(one["name"]): node_run.facts_of(one) for one in results}
    fresh: list[Baseline] = []
    for check, ranks in _open_checks(outcomes):
        instance_type = str(results[0]["instance_type"])
        old = next(
            (
                one
                for one in kept
                if (one.check, one.instance_type, one.ranks) == (check, instance_type, ranks)
            ),
            None,
        )
        found, new = _compared(check, ranks, instance_type, outcomes, facts, old, today)
        for node, outcome in found.items():
            outcomes[node][check] = outcome
        fresh += [] if new is None else [new]
    if len(results) > 1:
        for node, outcome in comparison.compare(facts).items():
            outcomes[node][comparison.ID] = outcome
    for check, found in (more or {}).items():
        for node, outcome in found.items():
            if node in outcomes:
                outcomes[node][check] = outcome
    return [_decided(one, outcomes[str(one["name"])], today, waivers) for one in results], fresh


def with_waivers(
    one: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], today: str
) -> dict[str, Any]:
    """The result of a node as if it had had these waivers too."""
    if not rows or not one["checks"]:
        return dict(one)
    outcomes = {str(row["id"]): from_json(_original(row)) for row in one["checks"]}
    every = [*one.get("waivers", ()), *rows]
    return _decided({**one, "waivers": every}, outcomes, today, ())


def _open_checks(
    outcomes: Mapping[str, Mapping[str, Outcome]],
) -> list[tuple[str, Optional[int]]]:
    """Checks with a figure and no floor, on at least one node, and the ranks of the figure."""
    return sorted(
        {
            (check, one.facts.get(baseline.RANKS))
            for own in outcomes.values()
            for check, one in own.items()
            if one.verdict == UNKNOWN and one.value is not None and one.floor is None and one.unit
        },
        key=str,
    )


def _compared(
    check: str,
    ranks: Optional[int],
    instance_type: str,
    outcomes: Mapping[str, Mapping[str, Outcome]],
    facts: Mapping[str, Mapping[str, Any]],
    old: Optional[Baseline],
    today: str,
) -> tuple[dict[str, Outcome], Optional[Baseline]]:
    figures = {
        node: own[check]
        for node, own in outcomes.items()
        if check in own
        and own[check].verdict == UNKNOWN
        and own[check].value is not None
        and own[check].facts.get(baseline.RANKS) == ranks
    }
    values = {node: float(one.value or 0.0) for node, one in figures.items()}
    unit = next(str(one.unit) for one in figures.values())
    versions = {node: versions_of(facts[node]) for node in figures}
    if old is not None:
        return {
            node: baseline.with_kept(value, old, versions[node]) for node, value in values.items()
        }, None
    found = baseline.compare(values, unit)
    good = [value for node, value in values.items() if found[node].verdict == PASS]
    if len(good) < baseline.FEWEST_NODES:
        return found, None
    middle, deviation = baseline.measure(good)
    first = versions[next(iter(values))]
    own = Baseline(check, instance_type, middle, deviation, unit, len(good), first, today)
    return found, replace(own, ranks=ranks)


def versions_of(facts: Mapping[str, Any]) -> dict[str, str]:
    """The versions among the facts of a node (`node_run.facts_of`), by program."""
    start = "versions."
    return {key[len(start) :]: str(value) for key, value in facts.items() if key.startswith(start)}


def _original(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row before waivers: they are applied again, to what the comparison decided."""
    if row["verdict"] != "waived":
        return dict(row)
    verdict, _, reason = str(row["reason"]).partition(": ")
    return {**row, "verdict": verdict, "reason": reason.partition("; waived until ")[0]}


def _decided(
    one: Mapping[str, Any], outcomes: Mapping[str, Outcome], today: str, waivers: Sequence[Waiver]
) -> dict[str, Any]:
    seconds = {str(row["id"]): row.get("seconds", 0.0) for row in one["checks"]}
    every = [*waivers, *waivers_of(one.get("waivers", ()))]
    found = decide(outcomes, str(one["name"]), today, every)
    return {
        **one,
        "verdict": found.verdict,
        "reason": found.reason,
        "action": found.action,
        "checks": [
            {**outcome.to_json(check), "seconds": seconds.get(check, 0.0)}
            for check, outcome in found.outcomes.items()
        ],
    }

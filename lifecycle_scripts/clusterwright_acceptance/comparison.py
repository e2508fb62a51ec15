"""Facts that are equal on all nodes of a group: versions, models, NUMA nodes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from clusterwright_acceptance.outcome import PASS, Outcome, failed, unknown

ID = "equal-versions"


def compare(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Outcome]:
    """The outcome of each node of one group, from its facts by name.

    A node that differs from more than half of the others fails. Where no value has a majority,
    nothing says which nodes are right: those nodes are unknown.
    """
    found = {node: Outcome(PASS) for node in facts}
    names = sorted({name for own in facts.values() for name in own})
    for name in names:
        values = {node: own[name] for node, own in facts.items() if name in own}
        counted = Counter(repr(value) for value in values.values())
        if len(counted) < 2:
            continue
        common, number = counted.most_common(1)[0]
        has_majority = number * 2 > len(values)
        for node, value in values.items():
            if repr(value) == common and has_majority:
                continue
            if found[node].verdict != PASS:
                continue
            if has_majority:
                reason = f"{name} is {value}, on {number} of {len(values)} nodes it is {common}"
                found[node] = failed(reason.replace("'", ""), "report")
            else:
                found[node] = unknown(f"{name} differs between nodes, without a majority")
    return found

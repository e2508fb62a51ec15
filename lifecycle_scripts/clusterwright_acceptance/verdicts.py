"""The verdict of a node from its checks, with waivers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

from clusterwright_acceptance.outcome import (
    ACTIONS,
    FAIL,
    HUNG,
    PASS,
    UNKNOWN,
    WAIVED,
    Outcome,
)

ACCEPTED, REJECTED = "accepted", "rejected"
KEEPS = "keeps_state"
"""In the result of a node: whether what the node was stays, because a test did not start."""


@dataclass(frozen=True)
class Waiver:
    """Accepts a failed or unknown check on some nodes, or on all, until a day (YYYY-MM-DD).

    The day itself is included.
    """

    check: str
    reason: str
    expires: str
    nodes: tuple[str, ...] = ()

    def covers(self, check: str, node: str) -> bool:
        # A name of Kubernetes can be that of a host with its domain.
        names = {node, node.partition(".")[0]}
        return self.check == check and (not self.nodes or not names.isdisjoint(self.nodes))


@dataclass(frozen=True)
class NodeVerdict:
    """`verdict` is accepted, rejected or unknown; `outcomes` include what waivers changed."""

    verdict: str
    reason: str
    action: str
    outcomes: Mapping[str, Outcome]


def decide(
    outcomes: Mapping[str, Outcome],
    node: str,
    today: str,
    waivers: Sequence[Waiver] = (),
    required: Sequence[str] = (),
) -> NodeVerdict:
    """Accepted only if every required check ran and none failed or is unknown.

    `today` is YYYY-MM-DD. An expired waiver does not apply, and the reason says so.
    """
    after = {
        check: waived(check, outcome, node, today, waivers) for check, outcome in outcomes.items()
    }
    bad = {check: one for check, one in after.items() if one.verdict in (FAIL, HUNG)}
    if bad:
        check = max(bad, key=lambda name: (ACTIONS.index(bad[name].action), bad[name].verdict))
        action = bad[check].action
        more = f"; {len(bad) - 1} more" if len(bad) > 1 else ""
        reason = f"{check}: {bad[check].reason}{more}"
        return NodeVerdict(REJECTED, reason, "report" if action == "none" else action, after)
    open_checks = [check for check, one in after.items() if one.verdict == UNKNOWN]
    if open_checks:
        more = f"; {len(open_checks) - 1} more" if len(open_checks) > 1 else ""
        reason = f"{open_checks[0]}: {after[open_checks[0]].reason}{more}"
        return NodeVerdict(UNKNOWN, reason, "none", after)
    left_out = [check for check in required if check not in after]
    if left_out:
        return NodeVerdict(UNKNOWN, f"{left_out[0]} has not run", "none", after)
    if not any(one.verdict in (PASS, WAIVED) for one in after.values()):
        return NodeVerdict(UNKNOWN, "no check ran on this node", "none", after)
    return NodeVerdict(ACCEPTED, "", "none", after)


def says_something(result: Mapping[str, Any]) -> bool:
    """Whether a result replaces what is known of the node."""
    return bool(result["checks"] or result["verdict"] == REJECTED) and not result.get(KEEPS)


def to_record(result: Mapping[str, Any], known: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    """What is recorded of a node after a result; None leaves the record as it is.

    `known` is what is recorded of the instance's boot: state, reason and action. A test that did
    not start leaves a node accepted or rejected, but except for an accepted node its time is
    recorded, so that the test is not repeated at once.
    """
    if says_something(result):
        return result
    if not result["checks"] or known.get("state") == ACCEPTED:
        return None
    if known.get("state") == REJECTED:
        before = {key: known.get(key) for key in ("reason", "action")}
        return {**result, "verdict": REJECTED, **before}
    return result


def waivers_of(rows: Sequence[Mapping[str, Any]]) -> list[Waiver]:
    """Waivers of the input; one that is not valid waives nothing."""
    found = []
    for row in rows:
        try:
            found.append(
                Waiver(
                    str(row["check"]),
                    str(row["reason"]),
                    str(row["expires"]),
                    tuple(str(node) for node in row.get("nodes", ())),
                )
            )
        except (KeyError, TypeError, AttributeError):
            continue
    return found


def waived(
    check: str, outcome: Outcome, node: str, today: str, waivers: Sequence[Waiver]
) -> Outcome:
    """The outcome with the waiver that covers it; `node` is "" for a test of several nodes."""
    if outcome.verdict not in (FAIL, HUNG, UNKNOWN):
        return outcome
    found: Optional[Waiver] = None
    for waiver in waivers:
        if waiver.covers(check, node) and (found is None or waiver.expires > found.expires):
            found = waiver
    if found is None:
        return outcome
    if found.expires < today:
        return replace(outcome, reason=f"{outcome.reason} (its waiver expired {found.expires})")
    text = f"{outcome.verdict}: {outcome.reason}; waived until {found.expires}: {found.reason}"
    return replace(outcome, verdict=WAIVED, reason=text, action="none")

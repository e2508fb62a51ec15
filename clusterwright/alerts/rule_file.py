"""The Prometheus rule file of a cluster, as data.

Source: Prometheus, "Alerting rules" and "Recording rules" (groups, interval, for, labels,
annotations; read 2026-11-23).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.alerts.alert import NEEDS, Alert, filled
from clusterwright.alerts.registry import FAMILIES
from clusterwright.alerts.watched import Watched, WatchedGroup, group_pattern

RUNBOOKS: Final = "docs/how-to/answer-an-alert.md"
"""The page of the runbooks in the repository."""

_INTERVAL: Final = "1m"


@dataclass(frozen=True)
class LeftOut:
    """An alert that the cluster has no samples for."""

    name: str
    reason: str


@dataclass(frozen=True)
class RuleFile:
    """`content` is the document of the rule file."""

    content: dict[str, Any]
    left_out: tuple[LeftOut, ...]

    @property
    def rules(self) -> list[dict[str, Any]]:
        """Every rule, in order."""
        return [rule for group in self.content["groups"] for rule in group["rules"]]


def rule_file(watched: Watched, *, runbooks: str = RUNBOOKS) -> RuleFile:
    """The rules of every alert that applies; `runbooks` is the address of the runbooks' page."""
    groups, left_out = [], []
    for title, alerts in FAMILIES.items():
        rules: list[dict[str, Any]] = []
        for alert in alerts:
            found = list(_rules(alert, watched, runbooks))
            rules += found
            if not found:
                left_out.append(LeftOut(alert.name, _missing(alert, watched)))
        if rules:
            name = f"{watched.label}-{re.sub('[^a-z]+', '-', title.lower())}"
            groups.append({"name": name, "interval": _INTERVAL, "rules": rules})
    return RuleFile({"groups": groups}, tuple(left_out))


def _missing(alert: Alert, watched: Watched) -> str:
    missing = [need for need in alert.needs if need not in watched.needs]
    # Each is there, but no group has all of them.
    return ", ".join(NEEDS[need] for need in missing or alert.needs)


def _rules(alert: Alert, watched: Watched, runbooks: str) -> Iterator[dict[str, Any]]:
    if not watched.needs.issuperset(alert.needs):
        return
    if alert.scope == "group":
        wanted = tuple(need for need in alert.needs if need in _OF_GROUPS)
        for group in watched.groups_with(*wanted):
            yield _rule(alert, watched, runbooks, group=group)
    elif alert.scope == "mount":
        for mount in watched.mounts:
            yield _rule(alert, watched, runbooks, mount=mount)
    else:
        yield _rule(alert, watched, runbooks)


_OF_GROUPS: Final = frozenset({"fixed", "nvidia", "dcgm", "neuron", "efa"})


def _rule(
    alert: Alert,
    watched: Watched,
    runbooks: str,
    *,
    group: WatchedGroup | None = None,
    mount: str | None = None,
) -> dict[str, Any]:
    values = {**_values(watched, group, mount), "NAME": alert.name}
    expression = filled(alert.expression, values)
    if alert.priced_value and group is not None:
        expression, values["VALUE"] = _priced(expression, group)
    labels: dict[str, str] = {"severity": alert.severity}
    # Also what tells several rules of an alert apart.
    if group is not None:
        labels["group"] = group.name
    if mount is not None:
        labels["mountpoint"] = mount
    annotations = {
        "summary": filled(alert.summary, values),
        "description": f"{alert.reason} Fires at: {alert.threshold}.",
    }
    if alert.idle:
        annotations["cost"] = _cost(alert, watched, group)
    annotations["command"] = "\n".join(filled(text, values) for text in alert.commands)
    annotations["runbook_url"] = f"{runbooks}#{alert.anchor}"
    rule: dict[str, Any] = {"alert": alert.name, "expr": expression}
    if alert.for_minutes:
        rule["for"] = f"{alert.for_minutes}m"
    return {**rule, "labels": labels, "annotations": annotations}


def _values(watched: Watched, group: WatchedGroup | None, mount: str | None) -> dict[str, str]:
    computing = tuple(each for each in watched.groups if each.role == "compute")
    values = {
        "CLUSTER": watched.label,
        "FILE": watched.file,
        "RATE": f"{watched.rate_seconds}s",
        "SILENT": f"{watched.silent_seconds}s",
        "COMPUTE": group_pattern(computing),
        "EFA": group_pattern(watched.groups_with("efa")),
        "LAST": str(watched.last_minutes),
    }
    if watched.capacity_end is not None:
        values["END"] = str(int(watched.capacity_end.timestamp()))
    if group is not None:
        values |= {
            "GROUP": group.name,
            "COUNT": str(group.accelerators),
            "TYPE": group.instance_type,
            "NODES": str(group.nodes),
        }
    if mount is not None:
        values["MOUNT"] = mount
    return values


def _priced(expression: str, group: WatchedGroup) -> tuple[str, str]:
    """The expression with its limit, and its value in words: money if the price is known."""
    if group.usd_per_hour is None:
        return f"({expression}) > {group.spares}", '{{ $value | printf "%.0f" }}, price unknown'
    usd = group.usd_per_hour
    return (
        f"({expression}) * {usd} > {group.spares * usd}",
        '{{ $value | printf "%.2f" }} USD per hour',
    )


def _cost(alert: Alert, watched: Watched, group: WatchedGroup | None) -> str:
    """What is idle, and the price of a node of each group that it can be."""
    if group is not None:
        groups: tuple[WatchedGroup, ...] = (group,)
    else:
        wanted = tuple(need for need in alert.needs if need in _OF_GROUPS)
        groups = tuple(each for each in watched.groups_with(*wanted) if each.role == "compute")
    return f"Idle: {alert.idle}; " + "; ".join(each.price for each in groups) + "."

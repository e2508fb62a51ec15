"""Keep spare nodes free of jobs by a reservation per group.

The limits of a database cannot be relied on where the platform writes slurm.conf, but reservations
always have an effect. Any node may be the spare: all nodes of a group but `spare_count` are for
jobs, and those available beyond that are reserved. When a node is lost, a reserved one is
released, and the job of the lost node starts there; when its replacement is back, a node is
reserved again.

Source: scontrol(1), "RESERVATIONS": IGNORE_JOBS reserves nodes whose jobs continue.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright_common.probe import Probe

from clusterwright_state.reservations import reservation_words
from clusterwright_state.slurm_view import TAKES_NO_JOB

PREFIX = "clusterwright_spares_"
_TIMEOUT_SECONDS = 20.0
_UNAVAILABLE = TAKES_NO_JOB | {"MAINT", "REBOOT"}


@dataclass(frozen=True)
class Spares:
    """`spare_count` nodes of a group are kept free of jobs."""

    group: str
    spare_count: int

    @classmethod
    def parsed(cls, text: str) -> Spares:
        """`GROUP=SPARE_COUNT`. Raises ValueError."""
        group, _, count = text.rpartition("=")
        return cls(group, int(count))

    @property
    def reservation(self) -> str:
        return PREFIX + self.group


def reserved_nodes(
    spares: Spares, nodes: Sequence[Mapping[str, Any]], reserved: Collection[str]
) -> list[str]:
    """The nodes to reserve: one less for each node of the group that cannot take jobs.

    Parameters
    ----------
    nodes:
        The entries `nodes` of the published state.
    reserved:
        The nodes that are reserved for this purpose now; they stay, if possible.
    """
    members = [
        node for node in nodes if node["group"] == spares.group and "FUTURE" not in node["states"]
    ]
    available = [
        node
        for node in members
        if not _UNAVAILABLE.intersection(node["states"])
        and node["reservation"] in (None, spares.reservation)
    ]
    wanted = spares.spare_count - (len(members) - len(available))
    in_order = sorted(
        available,
        key=lambda node: (
            node["name"] not in reserved,
            "IDLE" not in node["states"],
            node["name"],
        ),
    )
    return sorted(node["name"] for node in in_order[: max(0, wanted)])


def keep(
    probe: Probe,
    all_spares: Sequence[Spares],
    nodes: Sequence[Mapping[str, Any]],
    reservations: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Change the reservations; return what was changed, for the log."""
    existing = {
        entry["name"]: list(entry["nodes"])
        for entry in reservations
        if entry["name"].startswith(PREFIX)
    }
    wanted = {
        spares.reservation: reserved_nodes(spares, nodes, existing.get(spares.reservation, ()))
        for spares in all_spares
    }
    changes = []
    for name in sorted({*existing, *wanted}):
        before, after = existing.get(name, []), wanted.get(name, [])
        if sorted(before) == after:
            continue
        words = reservation_words(name, before, after, "IGNORE_JOBS")
        answer = probe.run(["scontrol", *words], _TIMEOUT_SECONDS)
        change: dict[str, Any] = {"reservation": name, "before": sorted(before), "after": after}
        if not answer.ok:
            change["error"] = answer.summary
        changes.append(change)
    return changes

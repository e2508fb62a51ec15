"""Bus bandwidths of acceptance by number of nodes, beside which training can be seen.

They are in the report of `clusterwright accept` (`cluster_checks`), and in `accepted.json` of the
controller, which has the last ones of each number of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clusterwright.goodput.results import AcceptedBandwidth, Unknown, plain

_CHECK: Final = "cluster-allreduce"
_WHAT: Final = "the all-reduce of acceptance"


class NotOfAcceptance(Exception):
    """A document that has no tests of acceptance."""


def accepted_bandwidths(
    documents: Iterable[tuple[str, object]], instance_type: str | None
) -> tuple[tuple[AcceptedBandwidth, ...], tuple[Unknown, ...]]:
    """All-reduces over whole nodes, the fewest nodes first, and the files that have none.

    Parameters
    ----------
    documents:
        The names of the files and their JSON. Of the same measurement the last one counts.
    instance_type:
        Of the cluster's compute nodes, as EC2 names it; records of the controller of other types
        are left out. None takes all. Reports do not have the type of a test: all of theirs count.

    Raises
    ------
    NotOfAcceptance
        A document is neither of the two.
    """
    found: dict[tuple[int, int], AcceptedBandwidth] = {}
    unknown = []
    for file, document in documents:
        own = {(one.nodes, one.size_mib): one for one in _of(file, document, instance_type)}
        if not own:
            typed = instance_type and _list(document, "cluster_checks") is None
            of_type = f" of {instance_type}" if typed else ""
            unknown.append(Unknown(_WHAT, f"{file} has no all-reduce{of_type} with a bandwidth"))
        found |= own
    return tuple(found[key] for key in sorted(found)), tuple(unknown)


def _of(file: str, document: object, instance_type: str | None) -> Iterator[AcceptedBandwidth]:
    checks, records = _list(document, "cluster_checks"), _list(document, "accepted")
    if checks is not None:
        for row in checks:
            if isinstance(row, Mapping) and row.get("id") == _CHECK:
                verdict = str(row.get("verdict"))
                yield from _one(file, row, row.get("value"), plain(row.get("floor")), verdict)
    elif records is not None:
        for row in records:
            if isinstance(row, Mapping) and instance_type in (None, row.get("instance_type")):
                yield from _one(file, row, row.get("gbs"), None, "pass")
    else:
        raise NotOfAcceptance(file)


def _list(document: object, key: str) -> list[Any] | None:
    found = document.get(key) if isinstance(document, Mapping) else None
    return found if isinstance(found, list) else None


def _one(
    file: str, row: Mapping[str, Any], value: object, floor: float | None, verdict: str
) -> Iterator[AcceptedBandwidth]:
    gbs, nodes, mib = plain(value), plain(row.get("nodes")), plain(row.get("size_mib"))
    if gbs and nodes and mib and nodes >= 1 and mib >= 1:
        yield AcceptedBandwidth(int(nodes), int(mib), gbs, floor, verdict, file)

"""Bus bandwidths of acceptance by number of nodes, beside which training can be seen.

They are in the report of `clusterwright accept` (`cluster_checks`), and in `accepted.json` of the
controller, which has the last ones of each number of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clusterwright.goodput.results import AcceptedBandwidth, plain

_CHECK: Final = "cluster-allreduce"


class NotOfAcceptance(Exception):
    """A document that has no tests of acceptance."""


def accepted_bandwidths(
    documents: Iterable[tuple[str, object]], instance_type: str | None
) -> tuple[AcceptedBandwidth, ...]:
    """All-reduces over whole nodes, the fewest nodes first.

    Parameters
    ----------
    documents:
        The names of the files and their JSON. Of the same measurement the last one counts.
    instance_type:
        Of the cluster's compute nodes; records of other types are left out. None takes all.

    Raises
    ------
    NotOfAcceptance
        A document is neither of the two.
    """
    found = {}
    for file, document in documents:
        for one in _of(file, document, instance_type):
            found[one.nodes, one.size_mib] = one
    return tuple(found[key] for key in sorted(found))


def _of(file: str, document: object, instance_type: str | None) -> Iterator[AcceptedBandwidth]:
    content = document if isinstance(document, Mapping) else {}
    checks, records = content.get("cluster_checks"), content.get("accepted")
    if isinstance(checks, list):
        for row in checks:
            if isinstance(row, Mapping) and row.get("id") == _CHECK:
                verdict = str(row.get("verdict"))
                yield from _one(file, row, row.get("value"), plain(row.get("floor")), verdict)
    elif isinstance(records, list):
        for row in records:
            if isinstance(row, Mapping) and instance_type in (None, row.get("instance_type")):
                yield from _one(file, row, row.get("gbs"), None, "pass")
    else:
        raise NotOfAcceptance(file)


def _one(
    file: str, row: Mapping[str, Any], value: object, floor: float | None, verdict: str
) -> Iterator[AcceptedBandwidth]:
    gbs, nodes, mib = plain(value), plain(row.get("nodes")), plain(row.get("size_mib"))
    if gbs and nodes and mib and nodes >= 1 and mib >= 1:
        yield AcceptedBandwidth(int(nodes), int(mib), gbs, floor, verdict, file)

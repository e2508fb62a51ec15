"""What services create outside a cluster's stacks, from `deletion_leftovers.yaml`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms.stack_names import stack_name
from clusterwright.review.deletion_results import Remaining

TABLE: Final = Path(__file__).with_suffix(".yaml")

CONDITIONS: Final[Mapping[str, Callable[[Cluster], bool]]] = {
    "retained-logs": lambda cluster: cluster.protection == "retain",
    "own-network": lambda cluster: cluster.network.existing is None,
    "karpenter": lambda cluster: cluster.kubernetes.autoscaling == "karpenter",
}
"""The values of `only`: whether the spec makes the entry possible."""


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """A row of the table, with the names of one cluster filled in."""

    what: str
    platforms: tuple[str, ...]
    name: str
    why: str
    source: str
    only: str | None = None
    find: tuple[tuple[str, str], ...] = ()
    """What to look for in the account: kinds of `deletion_leftovers.yaml`, and their keys."""

    found: bool = False
    """Whether only what the account has is an entry, and no pattern."""

    blocks: str | None = None
    before: bool = False
    free: bool = False
    shared: bool = False
    delete: str | None = None

    def commands_before(self, names: tuple[str, ...] = ()) -> Iterator[str]:
        """The commands before the deletion of the stacks, in any account or for `names` in it."""
        if self.before and self.delete is not None:
            if self.found:
                yield from (self.delete.replace("NAME", name) for name in names)
            else:
                yield self.delete

    def remaining(self, cluster: Cluster, names: tuple[str, ...] = ()) -> Iterator[Remaining]:
        """The entries of a plan: one for each of `names` in the account, else one pattern
        unless only what is found is an entry.
        """
        for name in names or (() if self.found else (self.name,)):
            yield Remaining(
                kind="shared" if self.shared else "service",
                what=self.what,
                name=name,
                why=self.why,
                certain=bool(names),
                blocks=stack_name(cluster.environment, self.blocks) if self.blocks else None,
                free=self.free,
                delete=self.delete.replace("NAME", name) if self.delete else None,
                found="account" if names else "service",
                source=self.source,
            )


def rows() -> tuple[Leftover, ...]:
    """Every row, with the placeholders of the names."""
    return tuple(_row(row, {}) for row in _table())


def leftovers(cluster: Cluster) -> tuple[Leftover, ...]:
    """The rows that concern a cluster."""
    texts = {
        "{environment}": cluster.environment,
        "{account}": cluster.account,
        "{region}": cluster.region,
    }
    found = []
    for row in _table():
        leftover = _row(row, texts)
        possible = leftover.only is None or CONDITIONS[leftover.only](cluster)
        if cluster.platform in leftover.platforms and possible:
            found.append(leftover)
    return tuple(found)


def _row(row: Mapping[str, Any], texts: Mapping[str, str]) -> Leftover:
    filled = {key: _filled(value, texts) for key, value in row.items()}
    find = tuple((kind, _filled(key, texts)) for kind, key in row.get("find", {}).items())
    return Leftover(**{**filled, "platforms": tuple(row["platforms"]), "find": find})


def _filled(value: Any, texts: Mapping[str, str]) -> Any:
    if not isinstance(value, str):
        return value
    for placeholder, text in texts.items():
        value = value.replace(placeholder, text)
    return value


@functools.cache
def _table() -> tuple[Mapping[str, Any], ...]:
    found = YAML(typ="safe").load(TABLE.read_text(encoding="utf-8"))
    return tuple(found)

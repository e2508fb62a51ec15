"""Names of rules that a user states."""

from __future__ import annotations

from collections.abc import Sequence


class UnknownRule(Exception):
    """No rule of `ids` has this name; `near` is the closest id."""

    def __init__(self, name: str, ids: Sequence[str]) -> None:
        from clusterwright.cluster_spec.suggest import closest

        super().__init__(name)
        self.name = name
        near = closest(name.upper(), ids, count=1)
        self.near = near[0] if near else None

"""Finds the rules: every module of `preflight/rules` holds one, called RULE."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from typing import Any

from clusterwright.preflight.rule import Rule


class UnknownRule(Exception):
    """A rule id that no rule has; `near` is what was probably meant."""

    def __init__(self, name: str, near: str | None) -> None:
        super().__init__(name)
        self.name = name
        self.near = near


@cache
def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule, in the order of the ids."""
    from clusterwright.preflight import rules

    found = []
    for module in pkgutil.iter_modules(rules.__path__):
        if module.name.startswith("_"):
            continue
        rule = importlib.import_module(f"{rules.__name__}.{module.name}").RULE
        assert isinstance(rule, Rule)
        found.append(rule)
    return tuple(sorted(found, key=lambda rule: rule.id))


def named(names: Iterable[str]) -> frozenset[str]:
    """Ids of the rules that `names` mean: an id (`CW-Q012`) or a family (`CW-Q`), in any case.

    Raises
    ------
    UnknownRule
        At the first name that means none.
    """
    ids = [rule.id for rule in all_rules()]
    meant: set[str] = set()
    for name in names:
        upper = name.upper()
        family = [i for i in ids if len(upper) == len("CW-Q") and i.startswith(upper)]
        chosen = [upper] if upper in ids else family
        if not chosen:
            from clusterwright.spec.suggest import closest

            near = closest(upper, ids, count=1)
            raise UnknownRule(name, near[0] if near else None)
        meant.update(chosen)
    return frozenset(meant)

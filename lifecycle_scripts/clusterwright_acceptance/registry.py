"""The checks of `checks.json`, with levels and planned durations."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

NODE, NODES = "node", "nodes"


@dataclass(frozen=True)
class Check:
    """One check. `scope` is node (runs on each node) or nodes (a job over several).

    `planned_seconds` is what the check takes on a healthy node, for the price of a level;
    after `timeout_seconds` it counts as hung.
    """

    id: str
    module: str
    level: str
    scope: str
    planned_seconds: int
    timeout_seconds: int
    needs: tuple[str, ...]
    about: str

    def load(self) -> ModuleType:
        return importlib.import_module(f"clusterwright_acceptance.checks.{self.module}")


@lru_cache(maxsize=1)
def _content() -> dict[str, Any]:
    path = Path(__file__).with_name("checks.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def levels() -> tuple[str, ...]:
    """The levels, least first; each has the checks of those before it."""
    return tuple(_content()["levels"])


def limit_seconds(level: str) -> int:
    """The time that a level may take on one node."""
    return int(_content()["level_limit_seconds"][level])


def checks(level: str | None = None, scope: str | None = None) -> list[Check]:
    """The checks of a level and of those below it, in the order in which they run."""
    included: Sequence[str] = levels()
    if level is not None:
        included = included[: included.index(level) + 1]
    found = [Check(**{**row, "needs": tuple(row["needs"])}) for row in _content()["checks"]]
    return [check for check in found if check.level in included and scope in (None, check.scope)]


def check(identity: str) -> Check:
    """The check of an id. Raises KeyError if there is none."""
    found = {one.id: one for one in checks()}
    return found[identity]

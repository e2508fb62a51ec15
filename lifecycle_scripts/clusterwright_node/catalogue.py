"""Finds the steps and puts them in order."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Callable

from clusterwright_node import steps
from clusterwright_node.node import Node, Verdict


@dataclass(frozen=True)
class Step:
    """One module of `steps`, read once."""

    name: str
    summary: str
    after: tuple[str, ...]
    deadline_seconds: float
    retries: int
    applies: Callable[[Node], Verdict]
    check: Callable[[Node], Verdict]
    apply: Callable[[Node], None]


def load_steps() -> list[Step]:
    """All steps in the order in which they run."""
    found = {}
    for module in pkgutil.iter_modules(steps.__path__):
        content = importlib.import_module(f"{steps.__name__}.{module.name}")
        found[module.name] = Step(
            name=module.name,
            summary=(content.__doc__ or "").strip().splitlines()[0],
            after=tuple(content.AFTER),
            deadline_seconds=float(content.DEADLINE_SECONDS),
            retries=int(content.RETRIES),
            applies=content.applies,
            check=content.check,
            apply=content.apply,
        )
    return ordered(found)


def step_names() -> list[str]:
    """The names alone, without importing the steps."""
    return sorted(module.name for module in pkgutil.iter_modules(steps.__path__))


def ordered(found: dict[str, Step]) -> list[Step]:
    """Steps so that each comes after what it names; otherwise by name. Raises ValueError for a
    loop.
    """
    for step in found.values():
        for name in step.after:
            if name not in found:
                raise ValueError(f"step {step.name} comes after {name}, which does not exist")
    result: list[Step] = []
    done: dict[str, bool] = {}
    while len(result) < len(found):
        ready = [
            step
            for name, step in sorted(found.items())
            if name not in done and all(before in done for before in step.after)
        ]
        if not ready:
            raise ValueError(
                "steps wait for each other: {}".format(", ".join(sorted(set(found) - set(done))))
            )
        result.append(ready[0])
        done[ready[0].name] = True
    return result

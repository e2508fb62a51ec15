"""Find the built-in and the custom steps, and sort them.

Built-in steps are the modules of `clusterwright_node.steps`. Custom steps are in the folder
`site_steps` beside this package, to which the deployment copies those of `lifecycle.steps`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Callable

from clusterwright_node import steps
from clusterwright_node.errors import StepError
from clusterwright_node.node import Node, Verdict

SITE_PACKAGE = "site_steps"
SITE_FOLDER = Path(__file__).parents[1] / SITE_PACKAGE


@dataclass(frozen=True)
class Step:
    """A built-in or custom step."""

    name: str
    summary: str
    after: tuple[str, ...]
    deadline_seconds: float
    retries: int
    applies: Callable[[Node], Verdict]
    check: Callable[[Node], Verdict]
    apply: Callable[[Node], None]
    before: tuple[str, ...] = ()
    """Steps that must run after it; only custom steps have it."""
    is_site: bool = False
    """Whether it is a custom step."""


def load_steps(site_folder: Path | None = None) -> list[Step]:
    """All steps in the order in which they run."""
    found = {}
    for name in _modules(steps.__path__):
        found[name] = _step(name, importlib.import_module(f"{steps.__name__}.{name}"))
    folder = site_folder or SITE_FOLDER
    for name in _modules([str(folder)]):
        found[name] = _site_step(name, folder)
    return ordered(found)


def step_names(site_folder: Path | None = None) -> list[str]:
    """The names of the steps, without importing them."""
    return sorted({*_modules(steps.__path__), *_modules([str(site_folder or SITE_FOLDER)])})


def ordered(found: dict[str, Step]) -> list[Step]:
    """Sort steps by their AFTER and BEFORE, then by name.

    Raises ValueError for a cycle.
    """
    after = {name: set(step.after) for name, step in found.items()}
    for step in found.values():
        for name in (*step.after, *step.before):
            if name not in found:
                key = "after" if name in step.after else "before"
                raise ValueError(f"step {step.name} comes {key} {name}, which does not exist")
        for name in step.before:
            after[name].add(step.name)
    result: list[Step] = []
    done: dict[str, bool] = {}
    while len(result) < len(found):
        ready = [
            step
            for name, step in sorted(found.items())
            if name not in done and all(before in done for before in after[name])
        ]
        if not ready:
            raise ValueError(
                "cyclic order of steps: {}".format(", ".join(sorted(set(found) - set(done))))
            )
        result.append(ready[0])
        done[ready[0].name] = True
    return result


def _modules(folders: Sequence[str]) -> list[str]:
    return [module.name for module in pkgutil.iter_modules(list(folders))]


def _step(name: str, content: ModuleType, is_site: bool = False) -> Step:
    return Step(
        name=name,
        summary=(content.__doc__ or "").strip().splitlines()[0],
        after=tuple(content.AFTER),
        deadline_seconds=float(content.DEADLINE_SECONDS),
        retries=int(content.RETRIES),
        applies=content.applies,
        check=content.check,
        apply=content.apply,
        before=tuple(getattr(content, "BEFORE", ())),
        is_site=is_site,
    )


def _site_step(name: str, folder: Path) -> Step:
    """Load a custom step. One that cannot be imported becomes a step that fails: it was checked
    before the deployment, but not on this node.
    """
    specification = importlib.util.spec_from_file_location(
        f"{SITE_PACKAGE}.{name}", str(folder / f"{name}.py")
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
        return _step(name, module, is_site=True)
    except Exception as error:  # noqa: BLE001 - every error is the step's failure
        cause = f"your step {name}.py cannot be read: {type(error).__name__}: {error}"

        def applies(_: Node) -> Verdict:
            raise StepError(cause, "correct the step and deploy again")

        def apply(_: Node) -> None:
            raise AssertionError("applies raises")

        return Step(name, cause, ("identify",), 10.0, 0, applies, applies, apply, is_site=True)

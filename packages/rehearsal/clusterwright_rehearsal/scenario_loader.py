"""Finds scenarios: ours in `scenarios/`, and files that a user names; `stage.py` is the guide."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from clusterwright_rehearsal.errors import RehearsalError

if TYPE_CHECKING:
    from clusterwright_rehearsal.scenario_api.context import Stage

FOLDER = Path(__file__).parent / "scenarios"
_DEFAULT_ORDER = 500
_HYPERPOD = ("managed", "scripted")
MODES = (*_HYPERPOD, "parallelcluster")


@dataclass(frozen=True)
class Scenario:
    """One scenario; the fields are those of its module."""

    name: str
    title: str
    promises: dict[str, str]
    play: Callable[[Stage], None]
    order: int
    needs_compute: int
    modes: tuple[str, ...]
    any_scripts: bool


def scenarios(chosen: Sequence[str] = ()) -> list[Scenario]:
    """All of ours in their order, or those that are named, by name or as a path of a file.

    Raises
    ------
    RehearsalError
        A name is not one of ours and no file, or a file is no scenario.
    """
    own = {path.stem.replace("_", "-"): path for path in FOLDER.glob("[!_]*.py")}
    if not chosen:
        return sorted((_read(name, path) for name, path in own.items()), key=_rank)
    found = []
    for name in chosen:
        path = own.get(name.replace("_", "-"), Path(name))
        if not path.is_file():
            raise RehearsalError(
                f"there is no scenario {name!r}", f"choose of {', '.join(sorted(own))}, or a file"
            )
        found.append(_read(path.stem.replace("_", "-"), path))
    return sorted(found, key=_rank)


def _rank(scenario: Scenario) -> tuple[int, str]:
    return scenario.order, scenario.name


def _read(name: str, path: Path) -> Scenario:
    module = _imported(path)
    problems = [
        text
        for good, text in (
            (bool((module.__doc__ or "").strip()), "has no docstring"),
            (callable(getattr(module, "play", None)), "has no function play(stage)"),
            (isinstance(getattr(module, "PROMISES", None), dict), "has no PROMISES"),
        )
        if not good
    ]
    if problems:
        raise RehearsalError(
            f"{path} is no scenario: it {' and '.join(problems)}",
            "the docstring of clusterwright_rehearsal/stage.py says what belongs into one",
        )
    return Scenario(
        name=name,
        title=(module.__doc__ or "").strip().splitlines()[0],
        promises=dict(module.PROMISES),
        play=module.play,
        order=int(getattr(module, "ORDER", _DEFAULT_ORDER)),
        needs_compute=int(getattr(module, "NEEDS_COMPUTE", 1)),
        any_scripts=bool(getattr(module, "ANY_SCRIPTS", False)),
        modes=tuple(getattr(module, "MODES", _HYPERPOD if path.parent == FOLDER else MODES)),
    )


def _imported(path: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"rehearsed_{path.stem}", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise RehearsalError(f"{path} cannot be read: {type(error).__name__}: {error}") from error
    return module

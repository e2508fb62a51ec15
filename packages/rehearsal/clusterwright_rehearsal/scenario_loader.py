"""Finds scenarios: the modules of `scenarios/`, and files of users.

The docstring of `scenario_api/context.py` describes the contents of a scenario file.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

FOLDER = Path(__file__).parent / "scenarios"
_DEFAULT_ORDER = 500
_FORMER_NAME = "play"
"""The function was called `play(stage)`; files that still use this name are accepted."""
_HYPERPOD = ("managed", "scripted")
MODES = (*_HYPERPOD, "parallelcluster", "pcs")
_UNKNOWN_SECONDS = 30


@dataclass(frozen=True)
class Scenario:
    """One scenario, with the definitions of its module."""

    name: str
    title: str
    promises: dict[str, str]
    run: Callable[[ScenarioContext], None]
    order: int
    needs_compute: int
    modes: tuple[str, ...]
    any_scripts: bool
    default: bool = False
    """Whether it runs if neither `--scenario` nor `--all` is given."""
    seconds: int = _UNKNOWN_SECONDS
    """Its typical duration."""
    packages: tuple[str, ...] = ()
    """Debian packages that its nodes need beyond those of every image."""
    newer_slurm: bool = False
    """Whether it updates the cluster to a newer Slurm, which another image has."""


def scenarios(chosen: Sequence[str] = ()) -> list[Scenario]:
    """All scenarios of the package, or the chosen ones (names or paths), in their order.

    Raises
    ------
    RehearsalError
        There is no such scenario or file, or the file is not a scenario.
    """
    built_in = {path.stem.replace("_", "-"): path for path in FOLDER.glob("[!_]*.py")}
    if not chosen:
        return sorted((_read(name, path) for name, path in built_in.items()), key=_rank)
    found = []
    for name in chosen:
        path = built_in.get(name.replace("_", "-"), Path(name))
        if not path.is_file():
            raise RehearsalError(
                f"there is no scenario {name!r}",
                f"choose one of {', '.join(sorted(built_in))}, or the path of a file",
            )
        found.append(_read(path.stem.replace("_", "-"), path))
    return sorted(found, key=_rank)


def _rank(scenario: Scenario) -> tuple[int, str]:
    return scenario.order, scenario.name


def _read(name: str, path: Path) -> Scenario:
    module = _imported(path)
    run = getattr(module, "run", None) or getattr(module, _FORMER_NAME, None)
    problems = [
        text
        for valid, text in (
            (bool((module.__doc__ or "").strip()), "has no docstring"),
            (callable(run), "has no function run(context)"),
            (isinstance(getattr(module, "PROMISES", None), dict), "has no PROMISES"),
        )
        if not valid
    ]
    if run is None or problems:
        raise RehearsalError(
            f"{path} is not a scenario: it {' and '.join(problems)}",
            "see the docstring of clusterwright_rehearsal/scenario_api/context.py",
        )
    return Scenario(
        name=name,
        title=(module.__doc__ or "").strip().splitlines()[0],
        promises=dict(module.PROMISES),
        run=run,
        order=int(getattr(module, "ORDER", _DEFAULT_ORDER)),
        needs_compute=int(getattr(module, "NEEDS_COMPUTE", 1)),
        any_scripts=bool(getattr(module, "ANY_SCRIPTS", False)),
        default=bool(getattr(module, "DEFAULT", False)),
        seconds=int(getattr(module, "SECONDS", _UNKNOWN_SECONDS)),
        packages=tuple(getattr(module, "PACKAGES", ())),
        newer_slurm=bool(getattr(module, "NEWER_SLURM", False)),
        modes=tuple(getattr(module, "MODES", _HYPERPOD if path.parent == FOLDER else MODES)),
    )


def _imported(path: Path) -> ModuleType:
    module_spec = importlib.util.spec_from_file_location(f"rehearsed_{path.stem}", path)
    assert module_spec is not None
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    try:
        module_spec.loader.exec_module(module)
    except Exception as error:
        raise RehearsalError(f"{path} cannot be read: {type(error).__name__}: {error}") from error
    return module

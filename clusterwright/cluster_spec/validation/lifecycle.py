"""Custom steps: valid files in an order without cycles."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec import custom_steps, repository_root
from clusterwright.cluster_spec.custom_steps import CustomStep, InvalidStepError
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Position, Problem
from clusterwright.cluster_spec.suggest import did_you_mean


def problems(cluster: Cluster) -> Iterator[Problem]:
    paths = cluster.lifecycle.steps
    if not paths:
        return
    found: dict[str, CustomStep] = {}
    places: dict[str, Path] = {}
    built_in = custom_steps.built_in()
    whole = True
    for index, path in enumerate(paths):
        here: Path = ("lifecycle", "steps", index)
        try:
            step = custom_steps.read(path)
        except InvalidStepError as error:
            whole = False
            place = None
            if error.line is not None:
                place = Position(str(repository_root.file(path)), error.line, 1)
            yield Problem(error.message, here, error.hint, position=place)
            continue
        whole = whole and step.name not in {*built_in, *found}
        if step.name in built_in:
            yield Problem(
                f"`{step.name}` is a built-in step of the node program",
                here,
                hint="rename the file",
            )
        elif step.name in found:
            yield Problem(f"duplicate step `{step.name}`", here, other_path=places[step.name])
        found.setdefault(step.name, step)
        places.setdefault(step.name, here)
    if whole:
        yield from _order(found, places, built_in)


def _order(
    found: dict[str, CustomStep], places: dict[str, Path], built_in: dict[str, tuple[str, ...]]
) -> Iterator[Problem]:
    known = sorted({*built_in, *found})
    whole = True
    for step in found.values():
        for key, names in (("AFTER", step.after), ("BEFORE", step.before)):
            for name in names:
                if built_in and name not in known:
                    whole = False
                    yield Problem(
                        f"{key} of `{step.name}` refers to `{name}`, which does not exist",
                        places[step.name],
                        hint=did_you_mean(name, known),
                    )
    cycle = custom_steps.cycle(found) if whole else ()
    if cycle:
        first = next(name for name in cycle if name in places)
        yield Problem(f"cyclic order of steps: {' after '.join(cycle)}", places[first])

"""Own steps are files that the node program can run, in an order that can be kept."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec import custom_steps, repository_root
from clusterwright.cluster_spec.custom_steps import BadStep, SiteStep
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Position, Problem
from clusterwright.cluster_spec.suggest import did_you_mean


def problems(cluster: Cluster) -> Iterator[Problem]:
    paths = cluster.lifecycle.steps
    if not paths:
        return
    found: dict[str, SiteStep] = {}
    places: dict[str, Path] = {}
    ours = custom_steps.ours()
    whole = True
    for index, path in enumerate(paths):
        here: Path = ("lifecycle", "steps", index)
        try:
            step = custom_steps.read(path)
        except BadStep as error:
            whole = False
            place = None
            if error.line is not None:
                place = Position(str(repository_root.file(path)), error.line, 1)
            yield Problem(error.message, here, error.hint, position=place)
            continue
        whole = whole and step.name not in {*ours, *found}
        if step.name in ours:
            yield Problem(
                f"`{step.name}` is a step of the node program itself",
                here,
                hint="give the file another name",
            )
        elif step.name in found:
            yield Problem(
                f"two steps are called `{step.name}`", here, other_path=places[step.name]
            )
        found.setdefault(step.name, step)
        places.setdefault(step.name, here)
    if whole:
        yield from _order(found, places, ours)


def _order(
    found: dict[str, SiteStep], places: dict[str, Path], ours: dict[str, tuple[str, ...]]
) -> Iterator[Problem]:
    known = sorted({*ours, *found})
    whole = True
    for step in found.values():
        for key, names in (("AFTER", step.after), ("BEFORE", step.before)):
            for name in names:
                if ours and name not in known:
                    whole = False
                    yield Problem(
                        f"{key} of `{step.name}` names `{name}`, and there is no such step",
                        places[step.name],
                        hint=did_you_mean(name, known),
                    )
    circle = custom_steps.circle(found) if whole else ()
    if circle:
        mine = next(name for name in circle if name in places)
        yield Problem(f"steps wait for each other: {' after '.join(circle)}", places[mine])

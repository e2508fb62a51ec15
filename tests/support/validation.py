"""Findings of one validator in a changed spec."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem, path_text
from tests.support.rich_specs import BUILT

Problems = Callable[[Cluster], Iterable[Problem]]
ABSENT = object()


def cluster(changes: Mapping[str, Any] | None = None, base: Mapping[str, Any] = BUILT) -> Cluster:
    """The rich spec with values at dotted paths; ABSENT removes a key or an entry."""
    data: Any = copy.deepcopy(dict(base))
    data.setdefault("partition", "aws")
    data.setdefault("slurm", {}).setdefault("partitions", [])
    for path, value in (changes or {}).items():
        *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
        here = data
        for part in parents:
            here = here[part] if isinstance(here, list) else here.setdefault(part, {})
        if value is ABSENT:
            del here[last]
        elif isinstance(here, list) and last == len(here):
            here.append(value)
        else:
            here[last] = value
    return Cluster.model_validate(data)


def found(
    problems: Problems, changes: Mapping[str, Any] | None = None, base: Mapping[str, Any] = BUILT
) -> dict[str, str]:
    """Path → message of the validator's findings."""
    return {path_text(p.path): p.message for p in problems(cluster(changes, base))}

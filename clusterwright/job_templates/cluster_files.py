"""The job files that a deployment puts on the cluster, where users find them on the login node."""

from __future__ import annotations

import datetime as dt
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.job_templates.plan import TrainingPlan
from clusterwright.job_templates.registry import all_templates
from clusterwright.job_templates.rendering import render
from clusterwright.job_templates.settings import SettingError
from clusterwright.job_templates.template import RefusedError

README: Final = "README"
_NODES: Final = 4
_NEVER: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
"""The end of the capacity is a setting, and none is given."""


def cluster_files(cluster: Cluster, catalog: Catalog, plan: TrainingPlan | None) -> dict[str, str]:
    """The files of all jobs that need no setting, by name; `README` lists them and the others."""
    found: dict[str, str] = {}
    here, others = [], []
    for template in all_templates():
        try:
            job = render(cluster, catalog, template, {}, plan, _NEVER)
        except (RefusedError, SettingError) as error:
            reason = str(error).removeprefix(template.name).lstrip(": ")
            others.append(f"{template.name}: {reason}")
            continue
        found[job.name] = job.text
        here.append((job.name, template.title))
    return {README: _readme(cluster, here, others), **found}


def without_counts(cluster: Cluster) -> Cluster:
    """The cluster with a fixed number of nodes in each compute group.

    The digest of the scripts is computed with its files: otherwise each change of `count` would
    be a change of the scripts.
    """
    groups = tuple(
        group.model_copy(update={"count": _NODES + group.spare_count, "max_count": None})
        if group.role == "compute"
        else group
        for group in cluster.compute
    )
    return cluster.model_copy(update={"compute": groups})


def _readme(cluster: Cluster, here: list[tuple[str, str]], others: list[str]) -> str:
    width = max((len(name) for name, _ in here), default=0)
    lines = [
        f"Job files of the cluster {cluster.environment}, written by `clusterwright render jobs`.",
        "Copy one, and submit it with sbatch. Settings are at the top of each file; options of",
        "sbatch, such as --nodes, replace the lines #SBATCH.",
        "",
        *(f"  {name.ljust(width)}  {title}" for name, title in here),
    ]
    if others:
        lines += ["", "Not here, because they need a setting or the cluster cannot run them:", ""]
        lines += [f"  {line}" for line in others]
    return "\n".join(lines) + "\n"

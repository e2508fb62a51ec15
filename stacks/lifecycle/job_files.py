"""The rendered job files among the lifecycle scripts: `jobs.json`, texts by name.

They have the numbers of nodes. On HyperPod and PCS their digest is that of the same cluster with
fixed numbers: a change of `count` uploads them again under the same prefix, and is no change of
the scripts. On ParallelCluster they are in the manifest, which its login nodes look up.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.job_templates.cluster_files import cluster_files, without_counts
from clusterwright.job_templates.plan import PlanError, TrainingPlan, training_plan
from clusterwright.pricing import plan_files

NAME = "jobs.json"


@dataclass(frozen=True)
class JobFiles:
    """The files, and those that the digest of the scripts is computed with."""

    files: dict[str, str]
    digested: dict[str, str]
    listed: bool
    """Whether the manifest of the scripts lists the file."""


def job_files(cluster: Cluster, catalog: Catalog, plan: TrainingPlan | None) -> JobFiles:
    """The job files of a cluster that schedules with Slurm."""
    files = cluster_files(cluster, catalog, plan)
    traits = cluster.traits
    if traits.verified_scripts and not traits.arguments_replace_login_nodes:
        # Nodes compare every file with the manifest, whose digest is in their configuration: a
        # prefix whose files change would fail there.
        return JobFiles(files, files, listed=True)
    return JobFiles(files, cluster_files(without_counts(cluster), catalog, plan), listed=False)


def recorded_plan(loaded: LoadedSpec) -> TrainingPlan | None:
    """The plan beside the spec; None without one.

    Raises
    ------
    InvalidPlan
        It cannot be read, or is not a plan.
    """
    path = Path(loaded.file)
    document = plan_files.plan_beside(path)
    name = plan_files.plan_path(path).name
    try:
        return None if document is None else training_plan(name, document)
    except PlanError as error:
        raise plan_files.InvalidPlan(f"{name}: {error}") from None

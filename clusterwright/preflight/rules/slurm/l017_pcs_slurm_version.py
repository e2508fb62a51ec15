"""PCS can update the deployed cluster to the Slurm version."""

from __future__ import annotations

from clusterwright.platforms.pcs import versions
from clusterwright.preflight.facts.pcs import PcsCluster
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

_SUSPENDED = ("SUSPENDING", "SUSPENDED")


class PcsSlurmVersion(Rule[str]):
    id = "CW-L017"
    prevents = (
        "UpdateCluster of PCS fails; or the cluster stays suspended, without controller and "
        "nodes, after the end of life of its Slurm version"
    )
    source = versions.SOURCE

    def subjects(self, context: Context) -> Subjects[str]:
        if context.platform.service_runs_controller:
            yield ("pcs", "slurm_version"), context.cluster.pcs.slurm_version

    def needs(self, context: Context) -> Facts:
        return (PcsCluster(context.cluster.environment),)

    def check(self, version: str, context: Context, facts: FactValues) -> Results:
        found = facts[PcsCluster(context.cluster.environment)]
        if found is None:
            return
        steps = versions.steps(found.slurm_version, version)
        change = f"from Slurm {found.slurm_version} to {version}"
        if steps is None:
            yield Unknown(
                message=f"whether PCS updates {found.name} {change}: no source lists "
                f"{found.slurm_version}"
            )
        elif steps < 0:
            yield Fail(
                message=f"PCS does not update {found.name} {change}: only to newer versions",
                requested=version,
                limit=found.slurm_version,
                hint=f"slurm_version: {found.slurm_version} or newer, or a new cluster",
            )
        elif steps > versions.MOST_STEPS:
            least = versions.VERSIONS.index(found.slurm_version)
            via = versions.VERSIONS[least + versions.MOST_STEPS]
            yield Fail(
                message=f"PCS does not update {found.name} {change} at once: over at most "
                f"{versions.MOST_STEPS} major versions",
                requested=version,
                limit=via,
                hint=f"slurm_version: {via} first",
            )
        elif steps == 0 and found.status in _SUSPENDED:
            yield Fail(
                message=f"{found.name} is {found.status}: AWS no longer runs Slurm "
                f"{found.slurm_version}",
                requested=version,
                hint="a newer slurm_version resumes the cluster",
            )

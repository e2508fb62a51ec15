"""What HyperPod's deep health checks are about to do, as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.operate.acceptance_results import DEEP_HEALTH_MINUTES, DeepHealthPlan
from clusterwright.render.source import printable
from clusterwright.render.table import counted


def plan_sentences(plan: DeepHealthPlan, *, uses_slurm: bool) -> Iterator[str]:
    """What they do, hit, take and cost."""
    for group, checks in plan.checks.items():
        names = [node.name for node in plan.targets if node.group == group]
        yield printable(
            f"HyperPod runs {' and '.join(checks)} on {counted(len(names), 'node')} of {group}: "
            f"{', '.join(names)}."
        )
    for name, reason in plan.left_out:
        yield printable(f"Left out: {name}: {reason}.")
    yield (
        "HyperPod reboots or replaces by itself what it finds to be faulty; a replacement loses "
        "the root volume, additional EBS volumes and the instance store."
    )
    where = "a maintenance reservation of Slurm" if uses_slurm else "a taint"
    yield f"Meanwhile {where} keeps new jobs from the nodes, and their accelerators are busy."
    if plan.jobs is None:
        yield "The jobs on the nodes are unknown, and may fail."
    elif plan.jobs:
        jobs = ", ".join(f"{job.id} ({counted(job.nodes, 'node')})" for job in plan.jobs)
        yield printable(f"These jobs run on the nodes, and may fail: {jobs}.")
    hours = sum(group.nodes * group.seconds for group in plan.groups) / 3600
    costs = [group.cost_usd for group in plan.groups]
    known = [cost for cost in costs if cost is not None]
    low, high = DEEP_HEALTH_MINUTES
    if hours:
        yield (
            f"Takes {low} to {high} minutes on GPUs by the duration of DCGM's level "
            f"4 (AWS states none), so at most {hours:,.1f} node-hours."
        )
    if known:
        yield f"Price of that time: at most {sum(known):,.2f} USD."
    for one in plan.groups:
        if one.cost_usd is None:
            yield printable(f"Price unknown: {one.group}: {one.unpriced}.")

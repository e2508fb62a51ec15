"""Users log in to nodes of the compute nodes' architecture."""

from __future__ import annotations

from typing import Final

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.preflight.rule import Context, Fail, Path, Results, Rule, Subjects

_EXAMPLES: Final = {"arm64": "m7g.4xlarge", "x86_64": "m5.4xlarge"}


class LoginArchitecture(Rule[ComputeGroup]):
    id = "CW-L019"
    severity = "warning"
    prevents = (
        'jobs that fail with "Exec format error": programs, environments of Python and containers '
        "that users build where they log in"
    )
    source = (
        "execve(2), ENOEXEC; the architectures of instance types are EC2's (DescribeInstanceTypes)"
    )

    def subjects(self, context: Context) -> Subjects[ComputeGroup]:
        if not context.cluster.uses_slurm or not _of_compute_nodes(context):
            return
        groups = [(p, g) for p, g in context.groups() if g.count]
        logins = [(p, g) for p, g in groups if g.role == "login"]
        # Without login nodes users log in to the controller.
        for path, group in logins or [(p, g) for p, g in groups if g.role == "controller"]:
            yield (*path, "instance_type"), group

    def check(self, group: ComputeGroup, context: Context, path: Path) -> Results:
        mine, theirs = _architecture(group, context), _of_compute_nodes(context)
        if mine is None or None in theirs or mine in theirs:
            return
        wanted = sorted(str(each) for each in theirs)
        example = _EXAMPLES.get(wanted[0])
        yield Fail(
            message=f"users log in to {group.name}, which is {mine}, and every compute node is "
            f"{' or '.join(wanted)}: what they build or install there does not run on these",
            path=path,
            requested=group.instance_type,
            hint=f"a type that is {wanted[0]}{f', such as {example}' if example else ''}, or let "
            "users build in jobs",
        )


def _of_compute_nodes(context: Context) -> frozenset[str | None]:
    """The architectures of compute groups; None among them where the catalogue has none."""
    return frozenset(
        _architecture(group, context)
        for group in context.cluster.compute
        if group.role == "compute"
    )


def _architecture(group: ComputeGroup, context: Context) -> str | None:
    instance = context.catalog.instance(group.instance_type)
    if instance is None or not isinstance(instance.architecture, Known):
        return None
    return instance.architecture.value

"""What would be left out of a template in silence is refused before there is one."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import load_catalog
from clusterwright.platforms.network import plan_network
from clusterwright.platforms.rules import RULES
from clusterwright.spec import LoadedSpec, Problem, SpecErrors
from clusterwright.spec.models.cluster import Cluster
from stacks.node_security_groups import MAXIMUM_SECURITY_GROUPS, existing_storage_groups


def refuse_what_cannot_be_built(loaded: LoadedSpec) -> None:
    """Refuse a spec that no template can express, although it is consistent.

    Raises
    ------
    SpecErrors
        With positions: capacity that the platform has no field for, nodes that do not fit the
        address range, more security groups than a node takes.
    """
    found = [
        problem.at(loaded.position(problem.path)) if problem.position is None else problem
        for problem in problems(loaded.cluster)
    ]
    if found:
        raise SpecErrors(found)


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Everything that `cluster` asks for and that its templates could not say."""
    rules = RULES[cluster.platform]
    for index, group in enumerate(cluster.compute):
        kind = group.capacity.kind
        if kind not in rules.capacity_kinds:
            yield Problem(
                f"compute[{index}].capacity: {cluster.platform} takes no {kind}: "
                f"{rules.refused_capacity[kind]}",
                ("compute", index, "capacity", "kind"),
            )
        if group.placement_group and not rules.placement_groups:
            yield Problem(
                f"compute[{index}].placement_group: {rules.placement_group_reason}",
                ("compute", index, "placement_group"),
            )
    continuous = cluster.resilience.node_provisioning == "continuous"
    if cluster.slurm.strategy is not None and continuous:
        # SageMaker developer guide, continuous provisioning with Slurm: "Passing any
        # SlurmConfigStrategy value results in an API error."
        yield Problem(
            "slurm.strategy: HyperPod takes none with continuous provisioning",
            ("slurm", "strategy"),
            hint="resilience: {node_provisioning: all-at-once}, or leave the strategy out",
            other_path=("resilience", "node_provisioning"),
        )
    if cluster.slurm.configuration == "scripted" and continuous:
        # The same page: continuous provisioning needs a SlurmConfig in every instance group.
        yield Problem(
            "resilience.node_provisioning: in scripted mode all nodes start at once",
            ("resilience", "node_provisioning"),
            hint="node_provisioning: all-at-once, or slurm: {configuration: managed}",
            other_path=("slurm", "configuration"),
        )
    plan = plan_network(cluster, load_catalog())
    if plan.problem is not None:
        yield plan.problem
    existing = cluster.network.existing
    own = len(existing.security_group_ids) if existing else 1
    groups = own + len(existing_storage_groups(cluster))
    if groups > MAXIMUM_SECURITY_GROUPS:
        yield Problem(
            f"storage: nodes would carry {groups} security groups, those of the file systems that "
            f"exist included; HyperPod takes {MAXIMUM_SECURITY_GROUPS}",
            ("storage",),
        )

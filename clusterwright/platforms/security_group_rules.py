"""The number of security groups and rules in the templates, without a synthesis.

`stacks/network/security_groups.py` builds them; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping

from clusterwright.cluster_spec.models import Cluster


def security_groups_built(cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Return the inbound and outbound rules of each created security group, by purpose.

    Empty for an existing network: its groups are used unchanged.
    """
    if cluster.network.existing is not None:
        return {}
    counts: dict[str, list[int]] = {"nodes": [0, 1]}
    _between(counts, "nodes", "nodes", 1)
    built = [fs for fs in cluster.storage.lustre if fs.existing is None]
    if built:
        # With EFA, all traffic; without, Lustre's two port ranges.
        kinds = 1 if any(fs.efa for fs in built) else 2
        counts["lustre"] = [0, 1]
        for source, target in (("lustre", "lustre"), ("nodes", "lustre"), ("lustre", "nodes")):
            _between(counts, source, target, kinds)
    home = cluster.storage.home
    if home is not None and home.existing is None:
        counts["home"] = [0, 1]
        _between(counts, "nodes", "home", 6)  # three ranges of NFS, over TCP and UDP
    if cluster.uses_slurm and not cluster.traits.service_runs_controller:
        counts["controller"] = [0, 1]
    accounting = cluster.slurm.accounting
    if accounting.kind == "rds" and accounting.existing is None:
        counts["database"] = [0, 1]
        _between(counts, "controller", "database", 1)
    closed = cluster.network.egress == "closed"
    if closed:
        counts["endpoints"] = [0, 1]
        _between(counts, "nodes", "endpoints", 1)
    if cluster.uses_kubernetes:
        counts["control plane"] = [0, 1]
        _between(counts, "nodes", "control plane", 1)
        _between(counts, "control plane", "nodes", 2)
        counts["control plane"][0] += len(cluster.kubernetes.private_access_cidrs)
    if cluster.traits.internal_shared_storage:
        counts["nodes"][1] += len(vpc_ranges(cluster))
    counts["nodes"][1] += 1 if closed else 2
    return {name: (inbound, outbound) for name, (inbound, outbound) in counts.items()}


def vpc_ranges(cluster: Cluster) -> list[str]:
    """Return the address ranges of the created VPC."""
    return [cluster.network.cidr, *cluster.network.secondary_cidrs]


def _between(counts: Mapping[str, list[int]], source: str, target: str, rules: int) -> None:
    counts[source][1] += rules
    counts[target][0] += rules

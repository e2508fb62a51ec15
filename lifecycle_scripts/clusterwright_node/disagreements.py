"""Contradictions between the files that configure a node."""

from __future__ import annotations

from clusterwright_node import parallelcluster
from clusterwright_node.contract import PARALLELCLUSTER, PCS, ClusterFile
from clusterwright_node.inputs import Inputs

ENTRIES = {
    "managed": "on_init_complete.sh",
    "scripted": "on_create.sh",
    PARALLELCLUSTER: "on_node_configured.sh",
    PCS: "on_pcs_node.sh",
}
"""The script that starts this program in each configuration."""


def disagreements(inputs: Inputs, configuration: str) -> list[str]:
    """Where the files contradict each other, or the entry script that was started."""
    cluster, deployment, resources = inputs.cluster, inputs.deployment, inputs.resources
    found = []
    if configuration != cluster.configuration:
        found.append(
            f"{ENTRIES[configuration]} runs the {configuration} configuration, cluster.json says"
            f" {cluster.configuration}"
        )
    if inputs.here is not None:
        found.extend(_parallelcluster_disagreements(cluster, inputs.here))
    if resources.cluster != cluster.cluster:
        found.append(
            f"cluster.json is for cluster {cluster.cluster}, resource_config.json for"
            f" {resources.cluster}"
        )
    for name, instance_type in sorted(resources.instance_types.items()):
        group = cluster.group(name)
        if group is None:
            names = ", ".join(known.name for known in cluster.groups)
            found.append(f"resource_config.json has group {name}, cluster.json has only {names}")
        elif instance_type not in (group.instance_type, "ml." + group.instance_type):
            found.append(
                f"group {name} is {group.instance_type} in cluster.json and {instance_type} in"
                " resource_config.json"
            )
    ours = {entry.name for entry in cluster.lustre}
    theirs = [entry.name for entry in deployment.lustre]
    if ours != set(theirs) or len(theirs) != len(set(theirs)):
        found.append(
            "cluster.json has the Lustre file systems [{}], deployment.json has [{}]".format(
                ", ".join(sorted(ours)), ", ".join(sorted(theirs))
            )
        )
    if (cluster.home is None) != (deployment.home is None):
        found.append(
            "home is null in one of cluster.json and deployment.json, and not in the other"
        )
    if (cluster.slurm.accounting == "rds") != (deployment.accounting is not None):
        found.append(
            f"slurm.accounting is {cluster.slurm.accounting} in cluster.json, and accounting is"
            f" {'null' if deployment.accounting is None else 'not null'} in deployment.json"
        )
    found.extend(_provisioning_disagreements(inputs))
    return found


def _parallelcluster_disagreements(cluster: ClusterFile, here: parallelcluster.Here) -> list[str]:
    found = []
    group = cluster.group(here.group)
    assert group is not None, "checked when the files were read"
    if group.role != here.role:
        found.append(
            f"the custom action's arguments name group {group.name}, which is a {group.role}"
            f" group; this node is a {here.node_type} of ParallelCluster"
        )
    if here.region != cluster.region:
        found.append(f"cluster.json is for {cluster.region}, the node is in {here.region}")
    # On other nodes the stack may be a nested stack of the cluster's.
    if here.node_type == "HeadNode" and here.stack_name != cluster.cluster:
        found.append(
            f"cluster.json is for cluster {cluster.cluster}, ParallelCluster's stack is"
            f" {here.stack_name}"
        )
    return found


def _provisioning_disagreements(inputs: Inputs) -> list[str]:
    cluster, provisioning = inputs.cluster, inputs.provisioning
    name = "provisioning_parameters.json"
    if cluster.configuration != "scripted":
        if provisioning is None:
            return []
        return [
            f"{name} is beside the scripts, but the {cluster.configuration} configuration does "
            "not use it"
        ]
    if provisioning is None:
        return [f"{name} is missing; the scripted configuration requires it"]
    found = []
    ours = {
        role: {group.name for group in cluster.groups if group.role == role}
        for role in ("controller", "login")
    }
    if {provisioning.controller_group} != ours["controller"]:
        found.append(
            "{} has controller_group {}, cluster.json has {}".format(
                name, provisioning.controller_group, ", ".join(sorted(ours["controller"]))
            )
        )
    login = {provisioning.login_group} if provisioning.login_group else set()
    if login != ours["login"]:
        found.append(
            "{} has login_group {}, cluster.json has {}".format(
                name, provisioning.login_group, ", ".join(sorted(ours["login"])) or "none"
            )
        )
    workers = {group.name: group.partition for group in cluster.groups if group.role == "compute"}
    if workers != provisioning.partition_by_group:
        found.append(
            f"{name} has worker groups {_pairs(provisioning.partition_by_group)}, cluster.json has"
            f" {_pairs(workers)}"
        )
    return found


def _pairs(table: object) -> str:
    assert isinstance(table, dict)
    return "[{}]".format(", ".join("{} in {}".format(*item) for item in sorted(table.items())))

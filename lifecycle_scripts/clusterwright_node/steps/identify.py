"""Identify this node.

The addresses of this machine's interfaces are compared with CustomerIpAddress in
resource_config.json. There is no fallback: a node with a wrong identity does more harm than a node
that stops. On ParallelCluster and PCS the arguments of the entry script name the group.
"""

from __future__ import annotations

import json

from clusterwright_node.errors import StepError
from clusterwright_node.inputs import Instance
from clusterwright_node.machine import failure_of
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing
from clusterwright_node.parallelcluster import Here

AFTER = ()
DEADLINE_SECONDS = 60
RETRIES = 0

IDENTITY = "/var/lib/clusterwright/identity.json"
_SHOWN_CANDIDATES = 20


def applies(node: Node) -> Verdict:
    return APPLIES


def check(node: Node) -> Verdict:
    instance = _this_instance(node)
    node.identified_as(instance)
    node.journal.belongs_to(instance.instance_id)
    if node.machine.read_text(IDENTITY) != _identity_text(node):
        return missing(f"{IDENTITY} is not that of this node")
    return SATISFIED


def apply(node: Node) -> None:
    node.machine.write_text(IDENTITY, _identity_text(node))


def own_addresses(node: Node) -> list[str]:
    """The addresses of this machine's interfaces, without loopback and link-local ones."""
    result = node.machine.query("ip", "-json", "address", "show")
    if not result.ok:
        raise failure_of(result)
    try:
        return [
            entry["local"]
            for interface in json.loads(result.stdout)
            for entry in interface.get("addr_info", ())
            if entry.get("scope") not in ("host", "link") and "local" in entry
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StepError(
            f"the JSON of `ip` is not valid: {error!r}", "use a HyperPod image"
        ) from None


def _this_instance(node: Node) -> Instance:
    if node.inputs.here is not None:
        return _on_parallelcluster(node, node.inputs.here)
    if node.inputs.on_pcs is not None:
        here = node.inputs.on_pcs
        return Instance(node.machine.hostname(), here.instance_id, _address(node), here.group)
    addresses = own_addresses(node)
    instances = node.inputs.resources.instances
    found = [instance for instance in instances if instance.address in addresses]
    if len(found) == 1:
        return found[0]
    have = ", ".join(addresses) or "none"
    if found:
        raise StepError(
            f"this machine's addresses ({have}) are those of several nodes: {_listed(found)}",
            "resource_config.json is wrong; replace the node",
        )
    raise StepError(
        f"none of this machine's addresses ({have}) is in resource_config.json, which has:"
        f" {_listed(instances)}",
        "wait for HyperPod to write this node into resource_config.json, or replace the node",
    )


def _on_parallelcluster(node: Node, here: Here) -> Instance:
    name = here.slurm_name or node.machine.hostname()
    return Instance(name, here.instance_id, _address(node), here.group)


def _address(node: Node) -> str:
    addresses = own_addresses(node)
    if not addresses:
        raise StepError("this machine has no address", "see `ip address`; replace the node")
    return addresses[0]


def _listed(instances: object) -> str:
    assert isinstance(instances, (list, tuple))
    shown = [f"{instance.name} {instance.address}" for instance in instances[:_SHOWN_CANDIDATES]]
    more = len(instances) - len(shown)
    return (", ".join(shown) or "no instances") + (f" and {more} more" if more else "")


def _identity_text(node: Node) -> str:
    instance = node.identity
    group = node.inputs.cluster.group(instance.group)
    identity = {
        "schema_version": 1,
        "cluster": node.inputs.cluster.cluster,
        "node": instance.name,
        "instance_id": instance.instance_id,
        "address": instance.address,
        "group": instance.group,
        "role": group.role if group else None,
        "instance_type": group.instance_type if group else None,
        "configuration": node.configuration,
    }
    return json.dumps(identity, indent=2, sort_keys=True) + "\n"

"""Stacks that every platform has before its nodes: identity, network, storage, accounting."""

from __future__ import annotations

from dataclasses import dataclass

import aws_cdk as cdk
from constructs import Construct

from clusterwright.catalog import Catalog, load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms import derived_names
from clusterwright.platforms.network import plan_network
from stacks.base.cluster_stack import ClusterStack
from stacks.base.spec_metadata import record
from stacks.identity.identity_stack import IdentityStack, RoleBuilder
from stacks.network.network_stack import Attachments, NetworkStack, existing_attachments
from stacks.observability.observability_stack import ObservabilityStack, Watched
from stacks.slurm import accounting_stack
from stacks.slurm.accounting_stack import AccountingDatabase, AccountingStack
from stacks.storage import storage_stack
from stacks.storage.home import HomeMount
from stacks.storage.lustre import LustreMount
from stacks.storage.storage_stack import StorageStack


@dataclass
class Foundation:
    """The stacks so far, in the order of deployment, and values that later ones need."""

    scope: Construct
    cluster: Cluster
    catalog: Catalog
    stacks: list[cdk.Stack]
    identity: IdentityStack
    attachments: Attachments
    lustre: list[LustreMount]
    home: HomeMount | None
    database: AccountingDatabase | None
    watched: Watched
    """Resources with alarms on their free space."""

    def add_observability(self, loaded: LoadedSpec) -> ObservabilityStack:
        """Add the stack of logs, metrics, alarms and the budget, unless it would be empty."""
        stack = ObservabilityStack(self.scope, loaded, self.watched, key_arn=self.identity.key_arn)
        if stack.node.children:
            self.stacks.append(stack)
        else:
            # CloudFormation refuses a stack without resources.
            self.scope.node.try_remove_child(stack.node.id)
        return stack

    def add_cluster(
        self, stack: ClusterStack, resource: cdk.CfnResource, loaded: LoadedSpec
    ) -> None:
        """Add the stack of the nodes after all stacks so far; `resource` records the spec.

        Nodes fetch scripts, mount file systems, open the database and join the control plane as
        soon as they start: all of it must be complete, not only what the template refers to.
        """
        record(resource, loaded)
        for earlier in self.stacks:
            stack.add_stack_dependency(earlier)
        self.stacks.append(stack)


def foundation(scope: Construct, cluster: Cluster, *, node_role: RoleBuilder | None) -> Foundation:
    """The stacks that are deployed before the nodes.

    `node_role` creates the one role of all nodes; None if there are several, or the platform
    creates them itself.
    """
    catalog = load_catalog()
    identity = IdentityStack(scope, cluster, node_role)
    stacks: list[cdk.Stack] = []
    if identity.node.children:
        stacks.append(identity)
    else:
        # CloudFormation refuses a stack without resources: an existing key, and no role here.
        scope.node.try_remove_child(identity.node.id)
    attachments = _attachments(scope, cluster, catalog, stacks, key_arn=identity.key_arn)
    lustre, home = (
        storage_stack.existing_lustre_mounts(cluster),
        storage_stack.existing_home_mount(cluster),
    )
    stored = None
    if storage_stack.is_built(cluster):
        stored = StorageStack(scope, cluster, attachments, key_arn=identity.key_arn)
        stacks.append(stored)
        mounts = {mount.name: mount for mount in lustre}
        mounts |= {name: fs.mount for name, fs in stored.file_systems.items()}
        lustre = [mounts[str(fs.name)] for fs in cluster.storage.lustre]
        home = stored.home.mount if stored.home is not None else home
    database = accounting_stack.existing_database(cluster)
    if accounting_stack.is_built(cluster):
        accounts = AccountingStack(scope, cluster, attachments, key_arn=identity.key_arn)
        stacks.append(accounts)
        database = accounts.database
    return Foundation(
        scope=scope,
        cluster=cluster,
        catalog=catalog,
        stacks=stacks,
        identity=identity,
        attachments=attachments,
        lustre=lustre,
        home=home,
        database=database,
        watched=_watched(cluster, stored),
    )


def _attachments(
    scope: Construct, cluster: Cluster, catalog: Catalog, stacks: list[cdk.Stack], *, key_arn: str
) -> Attachments:
    if cluster.network.existing is not None:
        return existing_attachments(cluster, cluster.network.existing)
    network = NetworkStack(scope, cluster, plan_network(cluster, catalog), key_arn=key_arn)
    stacks.append(network)
    return network.attachments


def _watched(cluster: Cluster, stored: StorageStack | None) -> Watched:
    return Watched(
        lustre=(
            {name: fs.resource.attr_id for name, fs in stored.file_systems.items()}
            if stored is not None
            else {}
        ),
        home=(
            stored.home.resource.attr_id
            if stored is not None and stored.home is not None
            else None
        ),
        database=derived_names.database(cluster),
    )

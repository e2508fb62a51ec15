"""From a spec to its stacks: which are built, in which order, and what each gets of the others."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.catalog import load_catalog
from clusterwright.platforms.network import plan_network
from clusterwright.spec import LoadedSpec
from clusterwright.spec.models.cluster import Cluster
from stacks import accounting, storage
from stacks.accounting import Accounting
from stacks.hyperpod_slurm import ClusterInputs, HyperPodSlurm
from stacks.identity import Identity
from stacks.lifecycle import Lifecycle
from stacks.network import Attachments, Network, existing_attachments
from stacks.observability import Observability, Watched
from stacks.record import record
from stacks.storage import Storage
from stacks.tags import tags_of


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    catalog = load_catalog()
    identity = Identity(scope, cluster)
    stacks: list[cdk.Stack] = [identity]
    attachments = _attachments(scope, cluster, stacks, key_arn=identity.key_arn)
    lustre, home = storage.existing_lustre_mounts(cluster), storage.existing_home_mount(cluster)
    stored = accounts = None
    if storage.is_built(cluster):
        stored = Storage(scope, cluster, attachments, key_arn=identity.key_arn)
        stacks.append(stored)
        mounts = {mount.name: mount for mount in lustre}
        mounts |= {name: fs.mount for name, fs in stored.file_systems.items()}
        lustre = [mounts[str(fs.name)] for fs in cluster.storage.lustre]
        home = stored.home.mount if stored.home is not None else home
    database = accounting.existing_database(cluster)
    if accounting.is_built(cluster):
        accounts = Accounting(scope, cluster, attachments, key_arn=identity.key_arn)
        stacks.append(accounts)
        database = accounts.database
    observability = Observability(
        scope,
        cluster,
        _watched(stored, accounts),
        role=identity.role,
        key_arn=identity.key_arn,
    )
    stacks.append(observability)
    lifecycle = Lifecycle(
        scope,
        cluster,
        catalog,
        lustre=lustre,
        home=home,
        accounting=database,
        key_arn=identity.key_arn,
        prometheus_workspace_id=observability.prometheus_workspace_id,
    )
    stacks.append(lifecycle)
    inputs = ClusterInputs(
        attachments=attachments,
        role=identity.role,
        key_arn=identity.key_arn,
        source_s3_uri=lifecycle.source_s3_uri,
        munge_key_secret_arn=lifecycle.munge_key_secret_arn,
        lustre=lustre,
        home=home,
        accounting=database,
        log_keeper_arn=observability.log_keeper.function_arn,
    )
    hyperpod = HyperPodSlurm(scope, cluster, catalog, inputs)
    record(hyperpod.resource, loaded)
    # Nodes fetch the scripts, mount the file systems and open the database as soon as they start:
    # all of it must be complete, not only the parts that the template refers to.
    for earlier in stacks:
        hyperpod.add_stack_dependency(earlier)
    stacks.append(hyperpod)
    _tag(scope, cluster)
    _bound(scope, cluster)
    return stacks


def _attachments(
    scope: Construct, cluster: Cluster, stacks: list[cdk.Stack], *, key_arn: str
) -> Attachments:
    if cluster.network.existing is not None:
        return existing_attachments(cluster, cluster.network.existing)
    plan = plan_network(cluster, load_catalog())
    network = Network(scope, cluster, plan, key_arn=key_arn)
    stacks.append(network)
    return network.attachments


def _watched(stored: Storage | None, accounts: Accounting | None) -> Watched:
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
        database=accounts.instance.ref if accounts is not None else None,
    )


def _tag(scope: Construct, cluster: Cluster) -> None:
    for key, value in tags_of(cluster).items():
        cdk.Tags.of(scope).add(key, value)


def _bound(scope: Construct, cluster: Cluster) -> None:
    """The boundary of the spec on every role, those of the CDK's own functions included."""
    arn = cluster.identity.permissions_boundary_arn
    if arn is not None:
        boundary = iam.ManagedPolicy.from_managed_policy_arn(
            cdk.Stack.of(scope.node.children[0]), "PermissionsBoundary", arn
        )
        iam.PermissionsBoundary.of(scope).apply(boundary)

"""The spec names the account that owns the existing subnets."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import (
    HERE,
    ExistingNetworkRule,
    sharing_account,
)


class SharedSubnets(ExistingNetworkRule):
    id = "CW-N032"
    prevents = (
        "nodes that never start: policies name subnets of this account, and the ARN of a shared "
        "subnet has the account of its owner"
    )
    source = (
        "VPC user guide, Share your VPC subnets with other accounts; "
        "aws/aws-parallelcluster #3425, terraform-aws-modules/terraform-aws-iam #227"
    )
    needs = (Subnets(),)

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        cluster = context.cluster
        owner = sharing_account(existing, facts[Subnets()], context)
        named = existing.owner_account
        ids = ", ".join(existing.subnet_ids)
        if owner is not None and context.platform.service_runs_controller:
            yield Fail(
                message=f"{owner} shares {ids}, and whether PCS launches instances in subnets of "
                "another account is not documented",
                path=(*HERE, "subnet_ids"),
                requested=owner,
                limit=cluster.account,
                where=existing.vpc_id,
                hint="use subnets of this account, or platform: hyperpod-slurm",
            )
        elif owner is not None and context.platform.provider_stack:
            yield Fail(
                message=f"{owner} shares {ids}, and ParallelCluster's head node may launch nodes "
                f"only in subnets of {cluster.account}",
                path=(*HERE, "subnet_ids"),
                requested=owner,
                limit=cluster.account,
                where=existing.vpc_id,
                hint="use subnets of this account, or platform: hyperpod-slurm",
            )
        elif owner is not None and named != owner:
            yield Fail(
                message=f"{owner} shares {ids}, but the roles of the nodes may use subnets of "
                f"{named or cluster.account} only",
                path=(*HERE, "subnet_ids" if named is None else "owner_account"),
                requested=owner,
                limit=named or cluster.account,
                where=existing.vpc_id,
                hint=f'owner_account: "{owner}"',
            )
        elif owner is None and named not in (None, cluster.account) and _found(existing, facts):
            yield Fail(
                message=f"{ids} belong to this account, not to {named}",
                path=(*HERE, "owner_account"),
                requested=named,
                limit=cluster.account,
                where=existing.vpc_id,
                hint="remove owner_account",
            )


def _found(existing: ExistingNetwork, facts: FactValues) -> bool:
    wanted = set(existing.subnet_ids)
    return any(subnet.id in wanted and subnet.owner for subnet in facts[Subnets()])

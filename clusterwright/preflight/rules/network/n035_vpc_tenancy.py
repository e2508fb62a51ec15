"""The existing VPC has default tenancy."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.preflight.facts.network import Vpcs
from clusterwright.preflight.rule import Context, FactValues, Fail, Results
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule

_DEFAULT = "default"


class VpcTenancy(ExistingNetworkRule):
    id = "CW-N035"
    prevents = (
        "EKS refuses the subnets of a VPC with dedicated tenancy; on AWS PCS and ParallelCluster "
        "every node is a Dedicated Instance, which costs a fee per hour and does not use capacity "
        "reservations with default tenancy; whether HyperPod accepts such a VPC no source states"
    )
    source = "aws/containers-roadmap #1577; EC2 CreateVpc, InstanceTenancy"
    needs = (Vpcs(),)

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        tenancy = next(
            (vpc.tenancy for vpc in facts[Vpcs()] if vpc.id == existing.vpc_id), _DEFAULT
        )
        if tenancy == _DEFAULT:
            return
        if context.cluster.uses_kubernetes:
            effect = "EKS accepts only subnets of VPCs with default tenancy"
        elif context.cluster.on_hyperpod:
            # Its instances are in an account of SageMaker, with interfaces in this VPC.
            effect = "no source states whether HyperPod accepts it"
        else:
            effect = "every node is a Dedicated Instance"
        yield Fail(
            message=f"the VPC {existing.vpc_id} has {tenancy} tenancy: {effect}",
            path=(*HERE, "vpc_id"),
            requested=_DEFAULT,
            limit=tenancy,
            where=existing.vpc_id,
            severity=None if context.cluster.uses_kubernetes else "warning",
            hint=f"aws ec2 modify-vpc-tenancy --vpc-id {existing.vpc_id} --instance-tenancy "
            "default: instances that run keep their tenancy",
        )

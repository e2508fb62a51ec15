"""Load balancers of endpoints find subnets in two zones of the existing VPC."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.platforms.hyperpod_eks import inference
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.network.existing_network import HERE, ExistingNetworkRule

_ACCEPTED = {(inference.INTERNAL_TAG, value) for value in ("1", "")}


class LoadBalancerSubnets(ExistingNetworkRule):
    id = "CW-N036"
    severity = "warning"
    prevents = (
        "endpoints of models without an address: the load balancer controller chooses subnets by "
        "their tag, and finds none"
    )
    source = (
        "aws/sagemaker-hyperpod-cluster-setup, private-subnet-tagging-template.yaml; "
        "kubernetes/cloud-provider-aws #184"
    )
    needs = (Subnets(),)

    def subjects(self, context: Context) -> Subjects[ExistingNetwork]:
        if inference.wanted(context.cluster):
            yield from super().subjects(context)

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        tagged = [
            subnet
            for subnet in facts[Subnets()]
            if subnet.vpc_id == existing.vpc_id and not subnet.tags.isdisjoint(_ACCEPTED)
        ]
        zones = {subnet.zone_id for subnet in tagged}
        if len(zones) > 1:
            return
        found = f"only {tagged[0].id} has" if tagged else "no subnet has"
        listed = " ".join(existing.control_plane_subnet_ids) or "SUBNET_IDS"
        yield Fail(
            message=f"{found} the tag {inference.INTERNAL_TAG} in {existing.vpc_id}: load "
            "balancers of endpoints need tagged subnets in two zones",
            path=(*HERE, "control_plane_subnet_ids"),
            requested=2,
            limit=len(zones),
            where=existing.vpc_id,
            hint=f"aws ec2 create-tags --region {context.region} --resources {listed} --tags "
            f"Key={inference.INTERNAL_TAG},Value=1",
        )

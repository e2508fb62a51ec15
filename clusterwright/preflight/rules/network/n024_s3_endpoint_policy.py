"""The policy of S3's endpoint in a network that exists lets the cluster's buckets through."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.iam.policy_evaluation import Question, allowed
from clusterwright.preflight.rules.network.egress import (
    EGRESS_FACTS,
    endpoint_names,
    gateway_of,
    interface_of,
    way_out,
)
from clusterwright.preflight.rules.network.existing_network import (
    HERE,
    ExistingNetworkRule,
    node_subnets,
)
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class S3EndpointPolicy(ExistingNetworkRule):
    id = "CW-N024"
    title = "The S3 endpoint of a network that exists lets the buckets through"
    prevents = (
        "AccessDenied for the lifecycle scripts or the data, although role and bucket allow it: "
        "the endpoint's policy does not"
    )
    source = "AWS documentation, endpoint policies for gateway endpoints"
    needs = EGRESS_FACTS

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        names = endpoint_names(context.region, "s3")
        tables, vpc_id = facts[RouteTables()], existing.vpc_id
        used = set()
        for _, _, subnet in node_subnets(existing, facts[Subnets()]):
            if subnet is None or subnet.vpc_id != vpc_id:
                continue
            out = way_out(tables, subnet)
            # S3's routes are longer than the default route: they win beside a NAT gateway too.
            found = gateway_of(facts[Endpoints()], out.table, vpc_id, names)
            if found is None and out.default is None:
                found = interface_of(facts[Endpoints()], vpc_id, names)
            if found is not None and found.policy is not None:
                used.add(found)
        for endpoint in sorted(used, key=lambda one: one.id):
            assert endpoint.policy is not None
            refused, open_ = [], []
            for bucket in self._buckets(context):
                question = Question(
                    action="s3:GetObject",
                    resource=f"arn:{context.cluster.partition}:s3:::{bucket}/any",
                    account=context.cluster.account,
                    # Of the nodes' role, whose name CloudFormation makes.
                    principal_arn=f"arn:{context.cluster.partition}:iam::"
                    f"{context.cluster.account}:role/{context.cluster.environment}",
                    context={
                        "aws:principalaccount": context.cluster.account,
                        "aws:sourcevpc": vpc_id,
                        "aws:sourcevpce": endpoint.id,
                        "aws:securetransport": "true",
                    },
                )
                answer = allowed(endpoint.policy, question)
                if answer == "no":
                    refused.append(bucket)
                elif answer == "unknown":
                    open_.append(bucket)
            if refused:
                yield Fail(
                    message=f"the policy of {endpoint.id} lets nodes read nothing of "
                    f"{', '.join(refused)}",
                    path=(*HERE, "vpc_id"),
                    requested=", ".join(refused),
                    where=endpoint.id,
                    hint="its owner must allow s3:GetObject of these buckets in the endpoint's "
                    "policy",
                )
            if open_:
                yield Unknown(
                    message=f"whether the policy of {endpoint.id} lets {', '.join(open_)} through "
                    "rests on conditions that are not known before a request",
                    path=(*HERE, "vpc_id"),
                )

    def _buckets(self, context: Context) -> list[str]:
        general = [b for b in existing_buckets(context) if not b.endswith("--x-s3")]
        return [lifecycle_bucket(context.cluster), *general]


RULE = S3EndpointPolicy()

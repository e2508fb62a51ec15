"""The S3 endpoint policy of an existing network allows the cluster's buckets."""

from __future__ import annotations

from clusterwright.cluster_spec.models.network import ExistingNetwork
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.preflight.facts.network import Subnets
from clusterwright.preflight.facts.routes import Endpoints, RouteTables
from clusterwright.preflight.rule import Context, FactValues, Fail, Results, Unknown
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest, allowed
from clusterwright.preflight.rules.network.egress import (
    EGRESS_FACTS,
    egress_path,
    endpoint_names,
    gateway_of,
    interface_of,
)
from clusterwright.preflight.rules.network.existing_network import (
    HERE,
    ExistingNetworkRule,
    hidden_endpoints,
    node_subnets,
)
from clusterwright.preflight.rules.storage.buckets import existing_buckets


class S3EndpointPolicy(ExistingNetworkRule):
    id = "CW-N024"
    prevents = (
        "AccessDenied for the lifecycle scripts or the data, although role and bucket policy "
        "allow it: the endpoint policy does not"
    )
    source = "AWS documentation, endpoint policies for gateway endpoints"
    needs = EGRESS_FACTS

    def check(self, existing: ExistingNetwork, context: Context, facts: FactValues) -> Results:
        hidden = hidden_endpoints(
            existing, facts[Subnets()], context, "whether the endpoint policy for S3 allows nodes"
        )
        if hidden is not None:
            yield hidden
            return
        names = endpoint_names(context.region, "s3")
        tables, vpc_id = facts[RouteTables()], existing.vpc_id
        used = set()
        for _, _, subnet in node_subnets(existing, facts[Subnets()]):
            if subnet is None or subnet.vpc_id != vpc_id:
                continue
            out = egress_path(tables, subnet)
            # S3's routes are more specific than the default route, also with a NAT gateway.
            found = gateway_of(facts[Endpoints()], out.table, vpc_id, names)
            if found is None and out.default is None:
                found = interface_of(facts[Endpoints()], vpc_id, names)
            if found is not None and found.policy is not None:
                used.add(found)
        for endpoint in sorted(used, key=lambda endpoint: endpoint.id):
            assert endpoint.policy is not None
            refused, undecided = [], []
            for bucket in self._buckets(context):
                question = PolicyRequest(
                    action="s3:GetObject",
                    resource=f"arn:{context.cluster.partition}:s3:::{bucket}/any",
                    account=context.cluster.account,
                    # The nodes' role, whose name CloudFormation generates.
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
                    undecided.append(bucket)
            if refused:
                yield Fail(
                    message=f"the policy of {endpoint.id} does not allow nodes to read "
                    f"{', '.join(refused)}",
                    path=(*HERE, "vpc_id"),
                    requested=", ".join(refused),
                    where=endpoint.id,
                    hint="its owner must allow s3:GetObject on these buckets in the endpoint "
                    "policy",
                )
            if undecided:
                yield Unknown(
                    message=f"whether the policy of {endpoint.id} allows {', '.join(undecided)} "
                    "depends on conditions that are not known before a request",
                    path=(*HERE, "vpc_id"),
                )

    def _buckets(self, context: Context) -> list[str]:
        general = [b for b in existing_buckets(context) if not b.endswith("--x-s3")]
        return [lifecycle_bucket(context.cluster), *general]

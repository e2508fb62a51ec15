"""Quotas of IAM roles and identity providers, and of CloudFormation stacks."""

from __future__ import annotations

from clusterwright.platforms.deployment_permissions import RESOURCES
from clusterwright.preflight.facts.counts import DeployedStacks, OidcProviders, Roles
from clusterwright.preflight.facts.deployment import OwnStacks, Stacks
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.rule import Context, Facts, FactValues, Subjects
from clusterwright.preflight.rules.quotas.quota_rule import (
    QuotaDemand,
    QuotaRule,
    QuotaUsage,
    ServiceQuota,
    Usage,
)

FEWEST_ROLES = 2
"""Roles of the smallest cluster of any platform; `tests/platforms` compares the templates."""

FEWEST_STACKS = 4
"""Stacks of the smallest cluster of any platform, likewise."""

_SOURCE = "AWS's guide to best practices of EKS, known limits and service quotas"
_ROLE, _PROVIDER = "AWS::IAM::Role", "AWS::IAM::OIDCProvider"


class IamQuotaRule(QuotaRule):
    """IAM does not list the stack of a resource: the stacks list what they created."""

    def needs(self, demand: QuotaDemand) -> Facts:
        return (*super().needs(demand), Stacks(demand.key))


def _roles(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("iam", "L-FE177D64", "Roles per account")
    needed_by = "the stacks need at least"
    yield ("environment",), quota.demand(FEWEST_ROLES, needed_by, context.cluster.environment)


def _providers(context: Context) -> Subjects[QuotaDemand]:
    quota = ServiceQuota("iam", "L-858F3967", "OpenId connect providers per account")
    if RESOURCES[_PROVIDER].used(context.cluster):
        demand = quota.demand(1, "the inference operator needs", context.cluster.environment)
        yield ("hyperpod", "inference"), demand


def _by_stacks(fact: Fact[tuple[str, ...]], kind: str) -> Usage:
    """The usage by resources of which the stacks of this environment list their own."""

    def count(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
        own: OwnStacks = facts[Stacks(demand.key)]
        return [QuotaUsage(1, own.has(kind, name)) for name in facts[fact]]

    return Usage((fact,), count)


def _stacks(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
    return [QuotaUsage(1, context.stack_is_ours(one.name)) for one in facts[DeployedStacks()]]


RULES = (
    IamQuotaRule(
        id="CW-Q082",
        title="IAM roles of the account",
        prevents="CreateRole fails with LimitExceeded (RolesPerAccount): the default is 1,000",
        source=f"{_SOURCE}; openshift/release #69365",
        demands=_roles,
        usage=_by_stacks(Roles(), _ROLE),
    ),
    IamQuotaRule(
        id="CW-Q083",
        title="OpenID Connect providers of the account",
        prevents="CreateOpenIDConnectProvider fails with LimitExceeded "
        "(OpenIdConnectProvidersPerAccount): the default is 100, one for each cluster",
        source=f"{_SOURCE}; eksctl-io/eksctl #4513",
        demands=_providers,
        usage=_by_stacks(OidcProviders(), _PROVIDER),
    ),
    QuotaRule(
        id="CW-Q084",
        title="CloudFormation stacks of the region",
        prevents="CreateStack fails with LimitExceededException: Limit for stack has been "
        "exceeded",
        source="brennerm/aws-quota-checker; aws-amplify/amplify-cli #2467, #5221",
        demands=ServiceQuota("cloudformation", "L-0485CB21", "Stack count").at(
            ("environment",), "the deployment needs at least", lambda context: FEWEST_STACKS
        ),
        usage=Usage((DeployedStacks(),), _stacks),
    ),
)

"""Service-linked roles exist or can be created."""

from __future__ import annotations

from clusterwright.platforms.deployment_permissions import LINKED_ROLES, LinkedRole
from clusterwright.platforms.node_permissions import Permission
from clusterwright.preflight.facts.deployment import Role, RoleMay
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
)
from clusterwright.preflight.rules.deployment.bootstrap import execution_role_arn
from clusterwright.preflight.rules.iam.simulation import permission_results, simulations


class ServiceLinkedRoles(Rule[LinkedRole]):
    id = "CW-I013"
    prevents = (
        "creating the first file system or database of an account fails, and its first Spot "
        "instances: AuthFailure.ServiceLinkedRoleCreationNotPermitted"
    )
    source = (
        "FSx for Lustre, RDS and EC2 user guides, service-linked roles; "
        "aws-samples/aws-eda-slurm-cluster #23"
    )

    def subjects(self, context: Context) -> Subjects[LinkedRole]:
        for role in LINKED_ROLES:
            if role.used(context.cluster):
                yield ("account",), role

    def needs(self, role: LinkedRole, context: Context) -> Facts:
        if role.launched_later(context.cluster):
            return (_existing(role),)
        return (_existing(role), _permitted(role, context))

    def check(self, role: LinkedRole, context: Context, facts: FactValues) -> Results:
        if facts[_existing(role)]:
            return
        hint = f"`aws iam create-service-linked-role --aws-service-name {role.service}`"
        if role.launched_later(context.cluster):
            yield Fail(
                message=f"{role.name}, for {role.needed_for}, does not exist, and what launches "
                "the instances is not allowed to create it",
                where=context.cluster.account,
                hint=hint,
            )
            return
        results = facts[_permitted(role, context)]
        if results is None:
            return  # CW-I010 reports that CloudFormation's role is missing
        who = f"{role.name}, for {role.needed_for}, does not exist, and CloudFormation's role"
        yield from permission_results(results, who, hint=hint, where=context.cluster.account)


def _existing(role: LinkedRole) -> Role:
    return Role(role.name, f"/aws-service-role/{role.service}/")


def _permitted(role: LinkedRole, context: Context) -> RoleMay:
    cluster = context.cluster
    arn = (
        f"arn:{cluster.partition}:iam::{cluster.account}:role/aws-service-role/"
        f"{role.service}/{role.name}"
    )
    known = (("iam:AWSServiceName", role.service),)
    right = Permission(role.needed_for, ("iam:CreateServiceLinkedRole",), arn, known)
    return RoleMay(execution_role_arn(context), simulations([right]))

"""The roles of pod identities exist and trust EKS Pod Identity."""

from __future__ import annotations

from typing import Final

from clusterwright.preflight.facts.references import NamedRole
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.iam.policy_evaluation import PolicyRequest, allowed

_SERVICE: Final = "pods.eks.amazonaws.com"
_ACTIONS: Final = ("sts:AssumeRole", "sts:TagSession")


class PodIdentityRoles(Rule[str]):
    id = "CW-I019"
    prevents = (
        "CreatePodIdentityAssociation fails, or pods get no credentials: the role is missing, or "
        "its trust policy does not allow sts:AssumeRole and sts:TagSession"
    )
    source = "EKS user guide, Create IAM role with trust policy required by EKS Pod Identity"

    def subjects(self, context: Context) -> Subjects[str]:
        for index, association in enumerate(context.cluster.kubernetes.pod_identities):
            path = ("kubernetes", "pod_identities", index, "role_arn")
            yield path, association.role_arn

    def needs(self, arn: str) -> Facts:
        return (NamedRole(arn.rpartition("/")[2]),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        name = arn.rpartition("/")[2]
        role = facts[NamedRole(name)]
        if role is None:
            yield Fail(
                message=f"the role {name} does not exist in {context.cluster.account}",
                requested=arn,
                where=context.cluster.account,
            )
            return
        if role.arn != arn:
            yield Fail(
                message=f"the ARN of the role {name} is {role.arn}: its path is different",
                requested=arn,
                limit=role.arn,
                hint=f"role_arn: {role.arn}",
            )
            return
        answers = {
            action: allowed(role.trust_policy, PolicyRequest(action, arn, service=_SERVICE))
            for action in _ACTIONS
        }
        missing = [action for action, answer in answers.items() if answer == "no"]
        if missing:
            yield Fail(
                message=f"the trust policy of {name} does not allow {_SERVICE} "
                f"{' and '.join(missing)}",
                where=arn,
                hint="allow both actions to that service principal",
            )
        elif "unknown" in answers.values():
            yield Fail(
                message=f"whether the trust policy of {name} allows {_SERVICE} "
                f"{' and '.join(_ACTIONS)} depends on conditions about the session",
                severity="info",
                where=arn,
                hint="compare its conditions with the session tags of EKS Pod Identity",
            )

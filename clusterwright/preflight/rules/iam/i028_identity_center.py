"""The IAM Identity Center instance of Argo CD exists."""

from __future__ import annotations

from clusterwright.preflight.facts.references import IdentityCenterInstances
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class IdentityCenterInstance(Rule[str]):
    id = "CW-I028"
    prevents = "CreateCapability fails, or nobody can log in to Argo CD"
    source = (
        "IAM Identity Center API, ListInstances; EKS user guide, Create an Argo CD capability: "
        "an Identity Center instance is required"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        argocd = context.cluster.kubernetes.capabilities.argocd
        if argocd is not None:
            path = ("kubernetes", "capabilities", "argocd", "identity_center_arn")
            yield path, argocd.identity_center_arn

    def needs(self, context: Context) -> Facts:
        return (IdentityCenterInstances(_region(context)),)

    def check(self, arn: str, context: Context, facts: FactValues) -> Results:
        region = _region(context)
        found = facts[IdentityCenterInstances(region)]
        if arn in found:
            return
        seen = f"the account sees {', '.join(found)}" if found else "the account sees none"
        yield Fail(
            message=f"{arn} is not an Identity Center instance in {region}: {seen}",
            requested=arn,
            where=region,
            hint="identity_center_region: the region in which Identity Center is enabled; "
            "`aws sso-admin list-instances --region REGION` lists the instances",
        )


def _region(context: Context) -> str:
    argocd = context.cluster.kubernetes.capabilities.argocd
    assert argocd is not None
    return argocd.identity_center_region or context.region

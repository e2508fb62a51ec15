"""IAM Identity Center is enabled for the users of the Grafana workspace."""

from __future__ import annotations

from clusterwright.preflight.facts.references import IdentityCenterInstances
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class GrafanaLogin(Rule[str]):
    id = "CW-I033"
    severity = "warning"
    prevents = "the Grafana workspace is not created, or nobody can sign in to it"
    source = (
        "Amazon Managed Grafana user guide, Use AWS IAM Identity Center with your Amazon Managed "
        "Grafana workspace: Identity Center must be enabled; its API, ListInstances, answers for "
        "one Region"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        grafana = context.cluster.observability.grafana
        if grafana is not None and grafana.login == "identity-center":
            yield ("observability", "grafana", "login"), context.region

    def needs(self, region: str) -> Facts:
        return (IdentityCenterInstances(region),)

    def check(self, region: str, facts: FactValues) -> Results:
        if facts[IdentityCenterInstances(region)]:
            return
        yield Fail(
            message=f"the account sees no Identity Center instance in {region}",
            requested="identity-center",
            where=region,
            hint="login: saml; or waive this where Identity Center is enabled in another Region: "
            "`aws sso-admin list-instances --region REGION` lists the instances",
        )

"""AWS offers Amazon Managed Grafana in the region."""

from __future__ import annotations

from clusterwright.platforms import grafana_regions
from clusterwright.preflight.facts.pcs import ServiceOffered
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class GrafanaRegion(Rule[str]):
    id = "CW-E018"
    prevents = "CloudFormation does not know AWS::Grafana::Workspace, after the stacks before it"
    source = f"{grafana_regions.SOURCE}; Systems Manager's public parameters for other Regions"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.observability.grafana is not None:
            yield ("observability", "grafana"), context.region

    def needs(self, region: str) -> Facts:
        return () if region in grafana_regions.REGIONS else (ServiceOffered(region, "grafana"),)

    def check(self, region: str, facts: FactValues) -> Results:
        if region in grafana_regions.REGIONS or facts[ServiceOffered(region, "grafana")]:
            return
        yield Fail(
            message=f"AWS does not list Amazon Managed Grafana among the services of {region}",
            requested=region,
            hint="omit observability.grafana; a Grafana of your own, or a workspace in another "
            "region, can query the Prometheus workspace",
        )

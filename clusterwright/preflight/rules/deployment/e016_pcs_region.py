"""AWS offers PCS in the region."""

from __future__ import annotations

from clusterwright.platforms.pcs import regions
from clusterwright.preflight.facts.pcs import ServiceOffered
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Rule, Subjects


class PcsRegion(Rule[str]):
    id = "CW-E016"
    prevents = "CloudFormation does not know AWS::PCS::Cluster, after the stacks before it"
    source = f"{regions.SOURCE}; Systems Manager's public parameters for other Regions"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.platform.service_runs_controller:
            yield ("region",), context.region

    def needs(self, region: str) -> Facts:
        """Return nothing for a documented region: the parameters appear later than endpoints."""
        return () if region in regions.REGIONS else (ServiceOffered(region, "pcs"),)

    def check(self, region: str, facts: FactValues) -> Results:
        if region in regions.REGIONS or facts[ServiceOffered(region, "pcs")]:
            return
        yield Fail(
            message=f"AWS does not list PCS among the services of {region}",
            requested=region,
            hint="another region, or platform: hyperpod-slurm or parallelcluster",
        )

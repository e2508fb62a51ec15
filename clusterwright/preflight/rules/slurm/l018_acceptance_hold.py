"""No job starts on a node with accelerators before the node is accepted."""

from __future__ import annotations

from clusterwright.platforms.accelerators import family
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class AcceptanceHold(Rule[tuple[str, ...]]):
    id = "CW-L018"
    severity = "warning"
    prevents = "jobs that hang or slow down on a node whose fault a test of a minute finds"
    source = "docs/designs/operating.md, How a node is held; `acceptance.hold` of the spec"

    def subjects(self, context: Context) -> Subjects[tuple[str, ...]]:
        cluster = context.cluster
        # Without an image nodes of Kubernetes are not tested, and the user has to provide it.
        if not cluster.uses_slurm:
            return
        groups = tuple(
            group.name
            for group in cluster.compute
            if group.role == "compute" and family(group.instance_type, context.catalog) != "none"
        )
        if groups:
            yield ("acceptance", "hold"), groups

    def check(self, groups: tuple[str, ...], context: Context) -> Results:
        if context.cluster.acceptance.hold:
            return
        yield Fail(
            message=f"jobs start on new, replaced and rebooted nodes of {', '.join(groups)} "
            "before they are accepted",
            hint="acceptance: {hold: true}; run `clusterwright accept` first on a cluster that "
            "exists, and waive what its image lacks",
        )

"""The release that runs the cluster has no published fault that the cluster would meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.platforms import known_faults
from clusterwright.platforms.kubernetes.charts import listed_charts, wanted_charts
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class KnownFaults(Rule[str]):
    id = "CW-I017"
    title = "The release has no published fault that the cluster would meet"
    severity = "warning"
    scope = "offline"
    prevents = "nodes that fail, data that is lost or doors that are open, as others have reported"
    source = (
        "issues of aws/aws-parallelcluster with the label Known Issue and of AWS's HyperPod "
        "samples and charts, read 2026-11-21; clusterwright/platforms/known_faults.py"
    )

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        cluster = context.cluster
        if cluster.platform == "parallelcluster":
            version = cluster.parallelcluster.version
            yield Subject(("parallelcluster", "version"), f"ParallelCluster {version}")
        elif context.on_hyperpod:
            pinned = cluster.image.release_version or cluster.image.image_id
            if pinned is not None:
                # Without a pin HyperPod takes its newest, which no published fault is of.
                yield Subject(("image",), f"the image {pinned}")
        yield from _charts(context)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        cluster = context.cluster
        if cluster.platform == "parallelcluster":
            found = known_faults.of_parallelcluster(cluster)
            hint = "see the thread for a way round it, or take a release that has ended it"
        elif subject.path[0] == "kubernetes":
            name, version = subject.value.split()
            found = known_faults.of_chart(cluster, name, version)
            hint = "pin a newer version of the chart, or none"
        elif cluster.image.released is not None:
            found = known_faults.of_hyperpod_image(cluster, cluster.image.released)
            hint = "pin a newer release, or none"
        else:
            # As CW-I001 does: a day that is not stated is said, and nobody is stopped by it.
            day = (
                "the day of HyperPod's image that yours is built from"
                if cluster.image.image_id is not None
                else "from HyperPod's release notes"
            )
            for fault in known_faults.of_some_hyperpod_image(cluster):
                end = "-".join(f"{part:02}" for part in fault.last or ())
                yield Fail(
                    message=f"the release date of {subject.value} is not stated; those until "
                    f"{end}: {fault.what} ({fault.thread})",
                    hint=f"image: {{released: ...}}, {day}",
                )
            return
        for fault in found:
            yield Fail(message=f"{subject.value}: {fault.what} ({fault.thread})", hint=hint)


def _charts(context: Context) -> Iterator[Subject[str]]:
    """Charts whose version is known: that of the spec, or the listed one."""
    if not context.cluster.uses_kubernetes:
        return
    pinned: dict[str, tuple[int, str]] = {
        chart.name: (place, chart.version)
        for place, chart in enumerate(context.cluster.kubernetes.workloads.charts)
        if chart.version is not None
    }
    for name in wanted_charts(context.cluster, context.catalog):
        path: tuple[str | int, ...] = ("kubernetes", "workloads", "charts")
        version = listed_charts()[name].version
        if name in pinned:
            place, version = pinned[name]
            path = (*path, place, "version")
        if version is not None:
            yield Subject(path, f"{name} {version}")


RULE = KnownFaults()

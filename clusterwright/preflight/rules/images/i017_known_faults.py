"""The release has no published known issue that affects the cluster."""

from __future__ import annotations

from typing import NamedTuple

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms import known_faults
from clusterwright.platforms.kubernetes.charts import listed_charts, wanted_charts
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class Met(NamedTuple):
    """A release, and its published known issues that affect the cluster."""

    what: str
    faults: tuple[known_faults.Fault, ...]
    hint: str
    is_dated: bool = True
    """False if its release date is not stated: the issues are those of any release."""


class KnownFaults(Rule[Met]):
    id = "CW-I017"
    severity = "warning"
    prevents = "node failures, data loss or security issues that others have reported"
    source = (
        "issues of aws/aws-parallelcluster with the label Known Issue and of AWS's HyperPod "
        "samples and charts, read 2026-11-21; clusterwright/platforms/known_faults.py"
    )

    def subjects(self, context: Context) -> Subjects[Met]:
        cluster = context.cluster
        if "parallelcluster" in cluster.traits.sections:
            version = cluster.parallelcluster.version
            yield (
                ("parallelcluster", "version"),
                Met(
                    f"ParallelCluster {version}",
                    tuple(known_faults.of_parallelcluster(cluster)),
                    "see the thread for a workaround, or use a release with the fix",
                ),
            )
        elif context.on_hyperpod:
            yield from _image(cluster)
        if cluster.uses_kubernetes:
            yield from _charts(context)

    def check(self, met: Met) -> Results:
        for fault in met.faults:
            what = met.what
            if not met.is_dated:
                # As in CW-I001: a missing release date is reported, and blocks nothing.
                end = "-".join(f"{part:02}" for part in fault.last or ())
                what = f"the release date of {what} is not stated; issues until {end}"
            yield Fail(message=f"{what}: {fault.what} ({fault.thread})", hint=met.hint)


def _image(cluster: Cluster) -> Subjects[Met]:
    """The pinned image; without one, HyperPod uses its newest, which has no listed issue."""
    image = cluster.image
    pinned = image.release_version or image.image_id
    if pinned is None:
        return
    what = f"the image {pinned}"
    if image.released is not None:
        faults = known_faults.of_hyperpod_image(cluster, image.released)
        met = Met(what, tuple(faults), "pin a newer release, or remove the pin")
    else:
        day = (
            "the date of the HyperPod image that yours is based on"
            if image.image_id is not None
            else "from HyperPod's release notes"
        )
        faults = known_faults.of_some_hyperpod_image(cluster)
        met = Met(what, tuple(faults), f"image: {{released: ...}}, {day}", is_dated=False)
    yield ("image",), met


def _charts(context: Context) -> Subjects[Met]:
    """The charts with a known version: that of the spec, or the listed one."""
    cluster = context.cluster
    pinned = {
        str(chart.name): (place, chart.version)
        for place, chart in enumerate(cluster.kubernetes.workloads.charts)
        if chart.version is not None
    }
    for name in wanted_charts(cluster, context.catalog):
        path: tuple[str | int, ...] = ("kubernetes", "workloads", "charts")
        version = listed_charts()[name].version
        if name in pinned:
            place, version = pinned[name]
            path = (*path, place, "version")
        if version is not None:
            faults = tuple(known_faults.of_chart(cluster, name, version))
            hint = "pin a newer version of the chart, or remove the pin"
            yield path, Met(f"{name} {version}", faults, hint)

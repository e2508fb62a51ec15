"""The release that runs the cluster has no published fault that the cluster would meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.platforms import known_faults
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict


class KnownFaults(Rule[str]):
    id = "CW-I017"
    title = "The release has no published fault that the cluster would meet"
    severity = "warning"
    scope = "offline"
    prevents = "nodes that fail, data that is lost or doors that are open, as others have reported"
    source = (
        "issues of aws/aws-parallelcluster with the label Known Issue and of AWS's HyperPod "
        "samples, read 2026-11-21; clusterwright/platforms/known_faults.py"
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

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        cluster = context.cluster
        if cluster.platform == "parallelcluster":
            found = known_faults.of_parallelcluster(cluster)
            hint = "see the thread for a way round it, or take a release that has ended it"
        elif cluster.image.released is not None:
            found = known_faults.of_hyperpod_image(cluster, cluster.image.released)
            hint = "pin a newer release, or none"
        elif known_faults.may_meet_an_image(cluster):
            yield Unsure(
                message=f"when {subject.value} came out: the spec does not say",
                hint="image: {released: ...}, from HyperPod's release notes",
            )
            return
        else:
            return
        for fault in found:
            yield Fail(message=f"{subject.value}: {fault.what} ({fault.thread})", hint=hint)


RULE = KnownFaults()

"""Each group mounts no more than HyperPod takes."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.platforms.hyperpod import MAXIMUM_STORAGE_CONFIGS
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.offline import GroupRule
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.spec.models.compute import ComputeGroup


class StorageConfigs(GroupRule):
    id = "CW-S012"
    title = "Storage configurations per group"
    prevents = "CreateCluster fails validation: InstanceStorageConfigs has at most four entries"
    source = "botocore, SageMaker CreateCluster"

    def check(
        self, subject: Subject[ComputeGroup], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        cluster = context.cluster
        # In scripted mode our own script mounts; only HyperPod's own mounts are counted here.
        if not context.on_hyperpod or cluster.slurm.configuration != "managed":
            return
        lustre = len(cluster.storage.lustre)
        home = int(cluster.storage.home is not None)
        ebs = int(subject.value.ebs is not None)
        count = lustre + home + ebs
        if count > MAXIMUM_STORAGE_CONFIGS:
            yield Fail(
                message=f"`{subject.value.name}` has {count} storage configurations "
                f"({lustre} Lustre, {home} home, {ebs} EBS), HyperPod takes "
                f"{MAXIMUM_STORAGE_CONFIGS}",
                path=("storage", "lustre") if lustre > 1 else subject.path,
                requested=count,
                limit=MAXIMUM_STORAGE_CONFIGS,
                hint="fewer file systems, or slurm.configuration: scripted",
            )


RULE = StorageConfigs()

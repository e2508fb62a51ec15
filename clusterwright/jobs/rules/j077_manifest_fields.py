"""Objects have the fields and the types of values that Kubernetes knows."""

from __future__ import annotations

from clusterwright.jobs.manifest_fields import object_mistakes, pod_mistakes
from clusterwright.jobs.manifests import TRAINING_KINDS
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results

_KINDS = TRAINING_KINDS | {
    "JobSet",
    "LeaderWorkerSet",
    "RayCluster",
    "RayJob",
    "RayService",
}
"""Custom resources whose definitions have the complete schema of pods."""


class Fields(ManifestRule):
    id = "CW-J077"
    severity = "error"
    prevents = "strict decoding error: unknown field, or cannot unmarshal number into a string"
    source = (
        "schemas of Kubernetes 1.37 (kubernetes-validate 1.37.0); kubectl apply validates "
        "strictly by default; aws-samples/aws-do-eks#19"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            found = object_mistakes(document)
            if found is None:
                found = (
                    one
                    for pod in manifests.pods
                    if pod.document is document and pod.kind in _KINDS
                    for one in pod_mistakes(pod.item)
                )
            seen = set()
            for one in found:
                # Aliases and merged keys bring a value several times.
                place = (one.at.line, one.at.column)
                if place not in seen:
                    seen.add(place)
                    yield Fail(message=one.message, at=one.at, hint=one.hint)

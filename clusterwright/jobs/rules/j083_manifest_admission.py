"""The operator of a job accepts it."""

from __future__ import annotations

from clusterwright.jobs.admission import refusals
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results


class Admission(ManifestRule):
    id = "CW-J083"
    severity = "error"
    prevents = "a job that the operator's validation refuses, or whose pods it never creates"
    source = (
        "validation of kubeflow/training-operator (pkg/webhooks/pytorch), kubeflow/mpi-operator "
        "(pkg/apis/kubeflow/validation), kubernetes-sigs/jobset (pkg/webhooks), "
        "ray-project/kuberay (controllers/ray/utils/validation.go), volcano-sh/volcano "
        "(pkg/webhooks/admission/jobs) and kubernetes-sigs/kueue (pkg/controller/jobs/rayjob)"
    )

    def check(self, manifests: Manifests) -> Results:
        for document in manifests.file.documents:
            for one in refusals(document):
                yield Fail(message=one.message, at=one.at, hint=one.hint, severity=one.severity)

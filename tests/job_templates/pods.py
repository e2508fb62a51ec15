"""Jobs of Kubernetes in tests of templates: their objects and their script."""

from __future__ import annotations

from typing import Any

from tests.job_templates.made import kubernetes_cluster, manifests, rendered
from tests.platforms.kubernetes.specs import EKS, IMAGE

GIVEN = {"image": IMAGE, "tenant": "pretraining"}


def pod_objects(
    job: str, spec: dict[str, Any] = EKS, *, plan: Any = None, **given: str
) -> dict[str, dict[str, Any]]:
    """The objects of a job by kind, which the API server accepts."""
    found = manifests(rendered(job, kubernetes_cluster(spec), plan=plan, **GIVEN | given))
    return {one["kind"]: one for one in found}


def pod_script(job: str, spec: dict[str, Any] = EKS, *, plan: Any = None, **given: str) -> str:
    """The script of the pods of a job."""
    return str(pod_objects(job, spec, plan=plan, **given)["ConfigMap"]["data"]["run.sh"])

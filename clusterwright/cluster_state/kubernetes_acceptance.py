"""Acceptance runs on Kubernetes: started and read with the user's `kubectl`.

A run is a Job that is made from `CronJob/acceptance` of the rendered manifests; its report is the
ConfigMap `run-ID` (`lifecycle_scripts/clusterwright_acceptance/kubernetes_program.py`).
"""

from __future__ import annotations

import base64
import binascii
import copy
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.acceptance import MAXIMUM_BYTES, RunReport
from clusterwright.cluster_state.kubernetes_context import API, cluster_context
from clusterwright.cluster_state.kubernetes_view import (
    Kubectl,
    KubectlFailed,
    run_kubectl,
)
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.platforms.kubernetes.acceptance import CONTROLLER
from clusterwright.platforms.kubernetes.acceptance_pods import NAMESPACE

REPORT: Final = "report.json.gz"


@dataclass(frozen=True)
class KubernetesRuns:
    """The acceptance runs of a cluster, in a context of the kubeconfig."""

    context: str
    path: str
    kubectl: Kubectl

    def start(self, run: str, level: str, names: Sequence[str]) -> NotRead | None:
        """Start a run of the nodes, or of all; why it was not started, or None."""
        get = [*self._words("get"), "cronjob", CONTROLLER, "--ignore-not-found", "--output=json"]
        try:
            text = self.kubectl(get)
            if not text.strip():
                hint = "set acceptance.image, then clusterwright render kubernetes "
                hint += f"{self.path} --part acceptance | kubectl apply -f -"
                return NotRead(API, f"{NAMESPACE} has no CronJob {CONTROLLER}", hint)
            job = _job(json.loads(text), run, level, names)
            self.kubectl([*self._words("create"), "--filename=-"], json.dumps(job))
        except KubectlFailed as error:
            return NotRead(API, str(error), "the user needs the rights to create Jobs there")
        except (ValueError, KeyError, TypeError, AttributeError):
            return NotRead(API, f"the CronJob {CONTROLLER} has an unknown form")
        return None

    def report(self, run: str) -> RunReport | NotRead | None:
        """Return the report of a run; None before its end.

        Raises
        ------
        KubectlFailed
            It was not read this time.
        """
        name = f"run-{run.lower()}"
        try:
            text = self._read("configmap", name)
            if text.strip():
                return _report(text, run)
            job = json.loads(self._read("job", name) or "{}")
        except ValueError:
            raise KubectlFailed("kubectl did not print JSON") from None
        for condition in (job.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "Failed" and condition.get("status") == "True":
                reason = f"it ended without a report: {condition.get('message', 'failed')}"
                words = " ".join(["kubectl", *self._words("logs"), f"job/{name}"])
                return NotRead(f"the run {run}", reason, words)
        return None

    def _read(self, kind: str, name: str) -> str:
        words = [*self._words("get"), kind, name, "--ignore-not-found", "--output=json"]
        return self.kubectl(words)

    def _words(self, verb: str) -> list[str]:
        return ["--context", self.context, "--namespace", NAMESPACE, verb]


def kubernetes_runs(
    session: AwsSession, cluster: Cluster, path: str, kubectl: Kubectl = run_kubectl
) -> KubernetesRuns | NotRead:
    """The runs of a cluster, or why its Kubernetes API cannot be reached.

    Raises
    ------
    AwsUnavailable
        EKS did not return the address of the Kubernetes API.
    """
    context = cluster_context(session, cluster, kubectl)
    if isinstance(context, NotRead):
        return context
    return KubernetesRuns(context, path, kubectl)


def _job(controller: dict[str, Any], run: str, level: str, names: Sequence[str]) -> dict[str, Any]:
    """The Job of a run: as the schedule's, with other arguments."""
    spec = copy.deepcopy(controller["spec"]["jobTemplate"]["spec"])
    container = spec["template"]["spec"]["containers"][0]
    kept = [word for word in container["args"] if word in ("--hold",)]
    container["args"] = [
        f"--namespace={NAMESPACE}",
        f"--level={level}",
        *kept,
        f"--run={run}",
        *(f"--node={name}" for name in names),
    ]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"run-{run.lower()}", "namespace": NAMESPACE},
        "spec": spec,
    }


def _report(text: str, run: str) -> RunReport | NotRead:
    try:
        packed = base64.b64decode(json.loads(text)["binaryData"][REPORT])
        # Bounded: a ConfigMap holds a mebibyte, which could unpack to more than memory.
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            content = file.read(MAXIMUM_BYTES + 1)
        if len(content) > MAXIMUM_BYTES:
            return NotRead(f"the run {run}", "its report is too large")
        return RunReport.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return NotRead(f"the run {run}", f"its report is not valid: {where}: {first['msg']}")
    except (ValueError, KeyError, TypeError, OSError, EOFError, binascii.Error):
        return NotRead(f"the run {run}", "its report cannot be read")

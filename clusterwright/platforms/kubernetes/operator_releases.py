"""The releases of Kubeflow's operators that jobs on plain EKS need, with the commands.

No chart of theirs is published. The digest of a manifest is that of the file at the release's tag.
Both define mpijobs.kubeflow.org, the training operator in v1 and the MPI operator in v2beta1, and
Kubernetes refuses the second (kubeflow/trainer#1930): the training operator is installed without
that definition, and with the controller of PyTorchJob only (kubeflow/trainer#1972).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PYTORCH_JOB: Final = "kubeflow.org/v1 PyTorchJob"
MPI_JOB: Final = "kubeflow.org/v2beta1 MPIJob"


@dataclass(frozen=True, kw_only=True)
class Release:
    """A release of an operator.

    Attributes
    ----------
    provides:
        The kind of objects.
    sha256, commit:
        Of the file, or of the repository where it is no single file.
    """

    name: str
    version: str
    provides: str
    namespace: str
    commands: tuple[str, ...]
    hint: str
    source: str
    date: str
    sha256: str | None = None
    commit: str | None = None


_TRAINING_COMMIT: Final = "4445c12aa62e4345b0c2c6ac9b215a70eca46ed7"
_MPI_SHA256: Final = "b38def13a94abe60b2a4b3485239d77f64892b8fbd202e9e435a6031b7500a8f"
_OVERLAY: Final = "training-operator/manifests/overlays/standalone"
_WITHOUT_MPI_JOB: Final = (
    '- patch: "{$patch: delete, apiVersion: apiextensions.k8s.io/v1, kind: '
    'CustomResourceDefinition, metadata: {name: mpijobs.kubeflow.org}}"'
)
_PYTORCH_JOB_ONLY: Final = (
    '- patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: training-operator}, spec: '
    "{template: {spec: {containers: [{name: training-operator, args: "
    '[--enable-scheme=pytorchjob]}]}}}}"'
)

RELEASES: Final = (
    Release(
        name="training-operator",
        version="1.9.4",
        provides=PYTORCH_JOB,
        namespace="kubeflow",
        commit=_TRAINING_COMMIT,
        commands=(
            "git clone --branch v1.9.4 --depth 1 https://github.com/kubeflow/trainer "
            "training-operator",
            f'test "$(git -C training-operator rev-parse HEAD)" = {_TRAINING_COMMIT}',
            f"printf '%s\\n' patches: '{_WITHOUT_MPI_JOB}' '{_PYTORCH_JOB_ONLY}' >> "
            f"{_OVERLAY}/kustomization.yaml",
            f"kubectl apply --server-side --kustomize {_OVERLAY}",
        ),
        hint="the image is a tag, v1-93c5489 of ghcr.io/kubeflow/training-v1/training-operator: "
        "no digest of it could be read",
        source="kubeflow/trainer, tag v1.9.4 of 2026-08-18: manifests/overlays/standalone and "
        "cmd/training-operator.v1/main.go; kubeflow/trainer#1930 and #1972",
        date="2026-11-29",
    ),
    Release(
        name="mpi-operator",
        version="0.8.0",
        provides=MPI_JOB,
        namespace="mpi-operator",
        sha256=_MPI_SHA256,
        commands=(
            "curl --fail --silent --show-error --location --output mpi-operator-0.8.0.yaml "
            "https://raw.githubusercontent.com/kubeflow/mpi-operator/v0.8.0/deploy/v2beta1/"
            "mpi-operator.yaml",
            f"echo '{_MPI_SHA256}  mpi-operator-0.8.0.yaml' | sha256sum --check",
            "kubectl apply --server-side --filename mpi-operator-0.8.0.yaml",
        ),
        hint="delete a definition mpijobs.kubeflow.org of v1 first, if the cluster has one; the "
        "image is a tag, mpioperator/mpi-operator:0.8.0: no digest of it could be read",
        source="kubeflow/mpi-operator, tag v0.8.0 of 2026-02-18 (101db14): "
        "deploy/v2beta1/mpi-operator.yaml; kubeflow/trainer#1930",
        date="2026-11-29",
    ),
)

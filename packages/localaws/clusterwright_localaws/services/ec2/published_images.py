"""Images that AWS publishes: the names of their SSM parameters, and invented ids.

The names are documented. No public source lists the ids, which change with every release, so each
id is derived from region and name and begins with `ami-10ca1` ("local").
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Final

ID_PREFIX: Final = "ami-10ca1"
# https://docs.aws.amazon.com/sagemaker/latest/dg/hyperpod-custom-ami-how-to.html has the names for
# Kubernetes 1.30 and 1.31 and Slurm, and: "Replace the parameter name with the corresponding
# Kubernetes version or Slurm base OS as required". HyperPod's versions are those of its guide.
_HYPERPOD = "/aws/service/sagemaker-hyperpod/ami/x86_64/{}/latest/ami-id"
KUBERNETES_VERSIONS: Final = ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35")
# https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html; images of Amazon Linux 2
# end with 1.32 ("Kubernetes version 1.32 is the last version for which Amazon EKS will release
# Amazon Linux 2 AMIs", the guide's page on optimised Amazon Linux AMIs).
_EKS = "/aws/service/eks/optimized-ami/{}/{}/recommended"
_EKS_TYPES = (
    ("amazon-linux-2023/x86_64/standard", "x86_64"),
    ("amazon-linux-2023/arm64/standard", "arm64"),
    ("amazon-linux-2023/x86_64/nvidia", "x86_64"),
    ("amazon-linux-2023/arm64/nvidia", "arm64"),
    ("amazon-linux-2023/x86_64/neuron", "x86_64"),
)
_EKS_AL2_TYPES = (
    ("amazon-linux-2", "x86_64"),
    ("amazon-linux-2-arm64", "arm64"),
    ("amazon-linux-2-gpu", "x86_64"),
)
_LAST_AL2 = (1, 32)
# https://docs.aws.amazon.com/dlami/latest/devguide/find-dlami-id.html: the name without "deep",
# "learning" and "ami"; the names are those of the release notes.
_DLAMI = "/aws/service/deeplearning/ami/{}/{}/latest/ami-id"
_DLAMI_NAMES = (
    ("x86_64", "base-oss-nvidia-driver-ubuntu-22.04"),
    ("x86_64", "base-oss-nvidia-driver-gpu-ubuntu-22.04"),
    ("x86_64", "base-oss-nvidia-driver-gpu-amazon-linux-2023"),
    ("x86_64", "oss-nvidia-driver-gpu-pytorch-2.7-ubuntu-22.04"),
    ("arm64", "base-oss-nvidia-driver-gpu-amazon-linux-2023"),
    ("arm64", "base-oss-nvidia-driver-gpu-ubuntu-22.04"),
    ("arm64", "base-oss-nvidia-driver-gpu-ubuntu-24.04"),
)
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/dlami/index.html, "SSM Parameter Prefix".
_NEURON = "/aws/service/neuron/dlami/{}/latest/image_id"
_NEURON_NAMES = (
    "multi-framework/amazon-linux-2023",
    "multi-framework/ubuntu-24.04",
    "multi-framework/ubuntu-22.04",
    "pytorch-2.9/amazon-linux-2023",
    "pytorch-2.9/ubuntu-24.04",
    "jax-0.7/amazon-linux-2023",
    "jax-0.7/ubuntu-24.04",
    "pytorch-inference-vllm/amazon-linux-2023",
    "pytorch-inference-vllm/ubuntu-24.04",
    "pytorch-2.8/ubuntu-22.04",
    "tensorflow-2.10/ubuntu-22.04",
    "base/amazon-linux-2023",
    "base/ubuntu-24.04",
    "base/ubuntu-22.04",
)
# AWS PCS user guide, "Using PCS-ready DLAMIs" and sample images.
_PCS = "/aws/service/pcs/ami/dlami-base-ubuntu2404/{}/latest/ami-id"


@dataclass(frozen=True)
class PublishedImage:
    """One image: the parameter that holds its id, and what it runs on."""

    parameter: str
    architecture: str
    # EKS has a second parameter, a JSON document, above the one with the id.
    document: str | None = None

    def id_in(self, region: str) -> str:
        """Return the invented id, the same in every run."""
        digest = hashlib.sha256(f"{region}{self.parameter}".encode()).hexdigest()
        return f"{ID_PREFIX}{digest[:12]}"


@functools.cache
def published_images() -> tuple[PublishedImage, ...]:
    """Return every image whose parameter is documented, by parameter."""
    found = [PublishedImage(_HYPERPOD.format("slurm-ubuntu-22.04"), "x86_64")]
    for version in KUBERNETES_VERSIONS:
        found.append(PublishedImage(_HYPERPOD.format(f"eks-{version}-amazon-linux-2"), "x86_64"))
        types: tuple[tuple[str, str], ...] = _EKS_TYPES
        if tuple(map(int, version.split("."))) <= _LAST_AL2:
            types += _EKS_AL2_TYPES
        for name, architecture in types:
            document = _EKS.format(version, name)
            found.append(PublishedImage(f"{document}/image_id", architecture, document))
    found += [
        PublishedImage(_DLAMI.format(architecture, name), architecture)
        for architecture, name in _DLAMI_NAMES
    ]
    found += [PublishedImage(_NEURON.format(name), "x86_64") for name in _NEURON_NAMES]
    found += [PublishedImage(_PCS.format(name), name) for name in ("x86_64", "arm64")]
    return tuple(sorted(found, key=lambda image: image.parameter))

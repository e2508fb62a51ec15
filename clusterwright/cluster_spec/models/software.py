"""Versions of software that a spec declares."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats

Component = Literal[
    "nvidia_driver",
    "fabric_manager",
    "cuda",
    "dcgm",
    "neuron_driver",
    "neuron_sdk",
    "efa_driver",
    "efa_installer",
    "libfabric",
    "aws_ofi_nccl",
    "nccl",
    "kernel",
    "os",
    "lustre_client",
    "slurm",
    "slurmdbd",
    "munge",
    "pmix",
    "pyxis",
    "enroot",
]
"""Names of components; `software_components.csv` of the catalogue's sources has their titles."""

SLURM_COMPONENTS: Final = frozenset(("slurm", "slurmdbd", "munge", "pmix", "pyxis", "enroot"))
"""Components that only platforms with Slurm have."""

NVIDIA_COMPONENTS: Final = frozenset(("nvidia_driver", "fabric_manager", "cuda", "dcgm", "nccl"))
"""Components of nodes with NVIDIA accelerators."""

NEURON_COMPONENTS: Final = frozenset(("neuron_driver", "neuron_sdk"))
"""Components of nodes with Trainium or Inferentia."""

EFA_COMPONENTS: Final = frozenset(("efa_driver", "efa_installer", "libfabric", "aws_ofi_nccl"))
"""Components of nodes with EFA."""

SoftwareVersions = Annotated[
    dict[
        Component,
        Annotated[
            str,
            Field(
                pattern=formats.SOFTWARE_VERSION.pattern,
                examples=[formats.SOFTWARE_VERSION.example],
            ),
        ],
    ],
    Field(max_length=20),
]
"""Versions by component; `2.27` stands for every 2.27.x."""

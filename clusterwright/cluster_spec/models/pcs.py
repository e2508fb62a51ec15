"""Settings of AWS PCS (Parallel Computing Service)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model

SettingName = Annotated[
    str, Field(pattern=r"^[A-Za-z]+$", max_length=64, examples=["SelectTypeParameters"])
]
SettingValue = Annotated[
    str,
    Field(
        pattern=formats.ONE_LINE.pattern,
        min_length=1,
        max_length=1024,
        examples=[formats.ONE_LINE.example],
    ),
]
Settings = Annotated[dict[SettingName, SettingValue], Field(min_length=1, max_length=50)]
"""Never empty: PCS refuses an empty list."""


class Pcs(Model):
    """Settings that only `platform: pcs` has."""

    slurm_version: Literal["24.11", "25.05", "25.11", "26.05"] = "25.11"
    """The Slurm version of the controller. It can be updated to newer versions only; at its end of
    life AWS suspends the cluster and terminates its instances."""

    size: Literal["SMALL", "MEDIUM", "LARGE"] | None = None
    """Size of the controller: 32 instances and 256 jobs, 512 and 8,192, or 2,048 and 16,384. The
    smallest sufficient one if absent. A change replaces the cluster and loses its accounting."""

    max_jobs: Annotated[int, Field(ge=1, le=16_384, examples=[1000])] = 256
    """The most jobs that run or wait at the same time; it determines the size."""

    rest_api: bool = False
    """Whether the controller answers Slurm's REST API, from Slurm 25.05."""

    accounting_purge_days: Annotated[int, Field(ge=1, le=10_000, examples=[365])] | None = None
    """Records of jobs are deleted after this time; they are kept if absent. Requires
    `slurm.accounting.kind: managed`."""

    scaledown_idle_seconds: Annotated[int, Field(ge=1, le=604_800, examples=[1200])] = 600
    """Idle instances above a group's minimum are terminated after this time."""

    slurm_settings: Settings | None = None
    """Settings of slurm.conf, of those that PCS supports; they take precedence over those of this
    spec."""

    slurmdbd_settings: Settings | None = None
    """Settings of slurmdbd.conf, of those that PCS supports; they require managed accounting."""

    cgroup_settings: Settings | None = None
    """Settings of cgroup.conf, of those that PCS supports."""

    root_volume_gib: Annotated[int, Field(ge=8, le=16_384, examples=[200])] | None = None
    """Root volume size of each instance; the size of the image if absent."""

    ssh_key_name: (
        Annotated[
            str, Field(pattern=formats.KEY_NAME.pattern, examples=[formats.KEY_NAME.example])
        ]
        | None
    ) = None
    """An EC2 key pair for the default user of the image; none if absent."""

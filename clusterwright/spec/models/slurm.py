"""Slurm: who configures it, partitions, accounting, containers, users."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models.common import AbsolutePath, Arn, Model, Name

UnixName = Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]


class ExistingDatabase(Model):
    """An accounting database that somebody else owns."""

    endpoint: Annotated[str, Field(pattern=r"^[a-z0-9.-]+$", max_length=253)]
    port: Annotated[int, Field(ge=1, le=65535)] = 3306
    database_name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")] = "slurm_acct_db"
    secret_arn: Annotated[
        Arn, Field(pattern=r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+$")
    ]


class Accounting(Model):
    kind: Literal["none", "local", "rds"] = "local"
    """local: the image's own database on the controller, lost with it. rds: outside the cluster."""

    instance_class: Annotated[str, Field(pattern=r"^db\.[a-z0-9-]+\.[a-z0-9]+$")] = "db.t3.large"
    capacity_gib: Annotated[int, Field(ge=20, le=65_536)] = 100
    multi_az: bool = False
    backup_retention_days: Annotated[int, Field(ge=1, le=35)] = 7
    existing: ExistingDatabase | None = None


class Containers(Model):
    pyxis: bool = False
    """Containers in Slurm jobs (Enroot with the Pyxis plug-in)."""


class Partition(Model):
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$", max_length=63)]
    groups: Annotated[list[Name], Field(min_length=1)]


class User(Model):
    name: UnixName
    uid: Annotated[int, Field(ge=1000, le=4_294_967_293)]
    """The same on every node and in every cluster that shares the file system."""

    gid: Annotated[int, Field(ge=1000, le=4_294_967_293)] | None = None
    """Primary group; the uid if absent."""

    groups: list[UnixName] = []
    home: AbsolutePath | None = None
    ssh_public_keys: list[Annotated[str, Field(pattern=r"^(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+")]] = []
    slurm_account: Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,32}$")] = "default"
    sudo: bool = False


class Slurm(Model):
    configuration: Literal["managed", "scripted"] = "managed"
    """managed: HyperPod configures Slurm, then our OnInitComplete runs. scripted: our OnCreate does."""

    strategy: Literal["Managed", "Merge", "Overwrite"] | None = None
    """Managed mode only: what HyperPod does with changes made by hand to slurm.conf."""

    partitions: list[Partition] = []
    """Each group is in one partition; one partition of all compute groups (`training`) if absent."""

    accounting: Accounting = Accounting()
    containers: Containers = Containers()
    topology: Literal["auto", "tree", "block", "none"] = "auto"
    users: list[User] = []
    """Or the path of a YAML file with this list, from the file that names it."""

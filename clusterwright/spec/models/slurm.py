"""Slurm: who configures it, partitions, accounting, containers, users."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models import forms
from clusterwright.spec.models.common import Model, Name, UnixName

UnixId = Annotated[int, Field(ge=1000, le=59_999, examples=[20001])]
"""Below 1000 are the image's own users, from 60000 on those of systemd and nobody."""


class ExistingDatabase(Model):
    """An accounting database that somebody else owns."""

    endpoint: Annotated[
        str,
        Field(
            pattern=forms.DATABASE_HOST.pattern,
            max_length=255,
            examples=[forms.DATABASE_HOST.example],
        ),
    ]
    """Host name of the database."""

    port: Annotated[int, Field(ge=1, le=65535)] = 3306
    """TCP port of the database."""

    database_name: Annotated[str, Field(pattern=forms.DATABASE_NAME.pattern)] = "slurm_acct_db"
    """Name of the database on the server."""

    secret_arn: Annotated[
        str, Field(pattern=forms.SECRET_ARN.pattern, examples=[forms.SECRET_ARN.example])
    ]
    """The secret with user name and password; the file never holds them."""


class Accounting(Model):
    """Where Slurm keeps what was run, by whom and for how long."""

    kind: Literal["none", "local", "rds"] = "local"
    """local: the image's database on the controller, lost with it. rds: outside the cluster."""

    instance_class: Annotated[str, Field(pattern=forms.DATABASE_CLASS.pattern)] = "db.t3.large"
    """RDS instance class."""

    capacity_gib: Annotated[int, Field(ge=20, le=65_536)] = 100
    """Size of the database's storage."""

    multi_az: bool = False
    """A standby in the second zone."""

    backup_retention_days: Annotated[int, Field(ge=1, le=35)] = 7
    """How long automatic backups are kept."""

    existing: ExistingDatabase | None = None
    """Use this database instead of building one."""


class Containers(Model):
    """Containers in jobs."""

    pyxis: bool = False
    """Containers in Slurm jobs (Enroot with the Pyxis plug-in)."""


class Partition(Model):
    """A Slurm partition: the groups that a job may run on."""

    name: Name
    """The partition's name; the first one is the default of jobs that name none."""

    groups: Annotated[list[Name], Field(min_length=1, examples=[["workers"]])]
    """Names of compute groups; each group is in exactly one partition."""


class UserGroup(Model):
    """A Unix group with a fixed gid."""

    name: UnixName
    """The group's name."""

    gid: UnixId
    """The same on every node and in every cluster that shares the file system."""


class User(Model):
    """A person with an account on every node."""

    name: UnixName
    """The login name."""

    uid: UnixId
    """The same on every node and in every cluster that shares the file system."""

    gid: UnixId | None = None
    """Primary group; the uid if absent."""

    groups: list[UnixName] = []
    """Further groups, each one of `user_groups`."""

    ssh_public_keys: list[
        Annotated[
            str,
            Field(pattern=forms.SSH_PUBLIC_KEY.pattern, examples=[forms.SSH_PUBLIC_KEY.example]),
        ]
    ] = []
    """Kept in a marked block of the user's `authorized_keys`; other lines are the user's own."""

    slurm_account: Annotated[str, Field(pattern=forms.SLURM_ACCOUNT.pattern)] = "default"
    """The account that the user's jobs are charged to."""

    sudo: bool = False
    """May become root on every node."""


class Slurm(Model):
    """The scheduler and its users."""

    configuration: Literal["managed", "scripted"] = "managed"
    """managed: HyperPod configures Slurm, then our OnInitComplete runs. scripted: our OnCreate."""

    strategy: Literal["Managed", "Merge", "Overwrite"] | None = None
    """Managed mode only: what HyperPod does with changes made by hand to slurm.conf."""

    partitions: list[Partition] = []
    """Each group is in one partition; all compute groups in `training` if absent."""

    accounting: Accounting = Field(default_factory=Accounting.model_construct)
    """Where job records are kept."""

    containers: Containers = Field(default_factory=Containers.model_construct)
    """Containers in jobs."""

    topology: Literal["auto", "tree", "block", "none"] = "auto"
    """How Slurm learns which nodes are near each other; scripted mode only, apart from auto."""

    user_groups: list[UserGroup] = []
    """Unix groups of several users; may stand in the users file."""

    users: list[User] = []
    """Or the path of a YAML file with this list, from the file that names it."""

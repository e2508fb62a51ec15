"""Slurm: who configures it, partitions, accounting, containers, users."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model, Name, UnixName

Minutes = Annotated[int, Field(ge=1, le=527_040, examples=[1440])]
"""Up to a leap year: a longer limit is none."""

Weight = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""Slurm adds up weights in 32 bits."""

UnixId = Annotated[int, Field(ge=1000, le=59_999, examples=[20001])]
"""Below 1000 are the image's own users, from 60000 on those of systemd and nobody."""


class ExistingDatabase(Model):
    """An accounting database that somebody else owns."""

    endpoint: Annotated[
        str,
        Field(
            pattern=formats.DATABASE_HOST.pattern,
            max_length=255,
            examples=[formats.DATABASE_HOST.example],
        ),
    ]
    """Host name of the database."""

    port: Annotated[int, Field(ge=1, le=65535)] = 3306
    """TCP port of the database."""

    database_name: Annotated[str, Field(pattern=formats.DATABASE_NAME.pattern)] = "slurm_acct_db"
    """Name of the database on the server."""

    secret_arn: Annotated[
        str, Field(pattern=formats.SECRET_ARN.pattern, examples=[formats.SECRET_ARN.example])
    ]
    """The secret with user name and password; the file never holds them. On ParallelCluster the
    secret is the password alone, as plain text."""

    user_name: (
        Annotated[
            str,
            Field(pattern=formats.DATABASE_USER.pattern, examples=[formats.DATABASE_USER.example]),
        ]
        | None
    ) = None
    """The database's user on ParallelCluster; elsewhere it is in the secret."""


class Accounting(Model):
    """Where Slurm keeps what was run, by whom and for how long."""

    kind: Literal["none", "local", "rds"] = "local"
    """local: a database on the controller, lost with it. rds: outside the cluster."""

    instance_class: Annotated[str, Field(pattern=formats.DATABASE_CLASS.pattern)] = "db.t3.large"
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

    install: Literal["image", "mirrored"] = "image"
    """image: it brings both. mirrored: nodes install them from the cluster's bucket."""

    cuda: (
        Annotated[str, Field(pattern=formats.CUDA.pattern, examples=[formats.CUDA.example])] | None
    ) = None
    """The newest CUDA in jobs' containers; the driver of the image is held against it."""


class Partition(Model):
    """A Slurm partition: the groups that a job may run on."""

    name: Name
    """The partition's name; the first one is the default of jobs that name none."""

    groups: Annotated[list[Name], Field(min_length=1, examples=[["workers"]])]
    """Names of compute groups; each group is in exactly one partition."""

    max_time_minutes: Minutes | None = None
    """Jobs are ended after this; no limit if absent. Scripted mode only."""

    priority_tier: Annotated[int, Field(ge=1, le=65_533)] = 1
    """Jobs of a partition with a higher tier are looked at first. Scripted mode only."""


class PriorityWeights(Model):
    """What weighs how much in a job's priority; 0 leaves it out."""

    age: Weight = 1000
    """How long the job has waited, full after a week."""

    fair_share: Weight = 10_000
    """How little of its share the account has used, the last two weeks counting half."""

    job_size: Weight = 1000
    """How much of the cluster the job asks for."""

    partition: Weight = 1000
    """The partition's own priority."""

    qos: Weight = 100_000
    """The priority of the job's QOS."""


class Timeouts(Model):
    """How long Slurm waits before it acts."""

    node_down_seconds: Annotated[int, Field(ge=30, le=3600)] = 300
    """A node that is silent for this long is down, and its jobs are put back."""

    message_seconds: Annotated[int, Field(ge=10, le=100)] = 60
    """For an answer: a node whose file system hangs answers late, and is not to lose its job."""

    credential_seconds: Annotated[int, Field(ge=30, le=600)] = 120
    """The start of a job must be over within it; a job that lost its node waits as long."""

    kill_wait_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """From SIGTERM to SIGKILL at a job's end: time to close a checkpoint that is being written."""


class Qos(Model):
    """A quality of service, which jobs ask for with `--qos`."""

    name: Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern, examples=["urgent"])]
    """Its name; `normal` is Slurm's own and has priority 0."""

    priority: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Against that of other QOS; `priority_weights.qos` says how much it weighs."""

    preempts: list[Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern)]] = []
    """QOS whose jobs make room for its jobs. Scripted mode only."""

    grace_seconds: Annotated[int, Field(ge=0, le=3600)] = 0
    """From the SIGTERM that announces it to the end of a job that is displaced. Scripted only."""

    max_nodes_per_user: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Nodes that one user's jobs have at once; no limit if absent."""

    max_time_minutes: Minutes | None = None
    """Jobs are ended after this; no limit if absent."""


class SlurmAccount(Model):
    """An account's share and limits. Accounts that only users name need no entry."""

    name: Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern, examples=["research"])]
    """The account, as users name it in `slurm_account`."""

    fair_share: Annotated[int, Field(ge=1, le=65_533)] = 1
    """Its share, relative to the shares of the other accounts."""

    max_nodes: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Nodes that its jobs have at once; no limit if absent."""

    qos: list[Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern)]] = []
    """QOS that its jobs may ask for; `normal` and every QOS of the file if absent."""


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
            Field(
                pattern=formats.SSH_PUBLIC_KEY.pattern, examples=[formats.SSH_PUBLIC_KEY.example]
            ),
        ]
    ] = []
    """Kept in a marked block of the user's `authorized_keys`; other lines are the user's own."""

    slurm_account: Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern)] = "default"
    """The account that the user's jobs are charged to."""

    sudo: bool = False
    """May become root on every node."""


class Slurm(Model):
    """The scheduler and its users."""

    configuration: Literal["managed", "scripted"] = "managed"
    """managed: HyperPod or ParallelCluster configures Slurm, then our script finishes the node.
    scripted: HyperPod's OnCreate is our script, and it does all of it."""

    strategy: Literal["Managed", "Merge", "Overwrite"] | None = None
    """Managed mode only: what HyperPod does with changes made by hand to slurm.conf."""

    partitions: list[Partition] = []
    """Each group is in one partition; all compute groups in `training` if absent."""

    accounting: Accounting = Field(default_factory=Accounting.model_construct)
    """Where job records are kept."""

    containers: Containers = Field(default_factory=Containers.model_construct)
    """Containers in jobs."""

    topology: Literal["auto", "tree", "block", "none"] = "auto"
    """How Slurm learns which nodes are near each other. HyperPod: scripted mode only, apart from
    auto; ParallelCluster: tree, and block of p6e-gb200 in capacity blocks."""

    priority_weights: PriorityWeights = Field(default_factory=PriorityWeights.model_construct)
    """How jobs that wait are ordered; scripted mode only."""

    preemption: Literal["off", "requeue", "cancel"] = "off"
    """What becomes of a job that a QOS displaces: put back, or ended. Scripted mode only."""

    timeouts: Timeouts = Field(default_factory=Timeouts.model_construct)
    """How long Slurm waits before it acts; scripted mode only."""

    qos: list[Qos] = []
    """Priorities and limits that jobs ask for."""

    accounts: list[SlurmAccount] = []
    """Shares and limits of accounts."""

    restrict_ssh_to_jobs: bool = False
    """Users without `sudo` get into compute nodes by ssh only while a job of theirs runs there."""

    user_groups: list[UserGroup] = []
    """Unix groups of several users; may stand in the users file."""

    users: list[User] = []
    """Or the path of a YAML file with this list, from the file that names it."""

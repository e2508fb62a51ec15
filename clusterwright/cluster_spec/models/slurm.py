"""Slurm: configuration, partitions, accounting, containers, users."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model, Name, UnixName

Minutes = Annotated[int, Field(ge=1, le=527_040, examples=[1440])]
"""At most a leap year."""

Weight = Annotated[int, Field(ge=0, le=1_000_000_000)]
"""Slurm adds weights in 32 bits."""

UnixId = Annotated[int, Field(ge=1000, le=59_999, examples=[20001])]
"""Ids below 1000 are users of the image, ids from 60000 those of systemd and nobody."""


class ExistingDatabase(Model):
    """An existing accounting database."""

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
    """The secret with user name and password, which are never in the spec. On ParallelCluster the
    secret is the password alone, as plain text."""

    user_name: (
        Annotated[
            str,
            Field(pattern=formats.DATABASE_USER.pattern, examples=[formats.DATABASE_USER.example]),
        ]
        | None
    ) = None
    """The database user, on ParallelCluster only; on other platforms it is in the secret."""


class Accounting(Model):
    """Slurm accounting: records of jobs, users and run times."""

    kind: Literal["none", "local", "rds", "managed"] = "local"
    """local: a database on the controller, lost with it. rds: an Amazon RDS database. managed: a
    database of AWS PCS, lost with its cluster."""

    instance_class: Annotated[str, Field(pattern=formats.DATABASE_CLASS.pattern)] = "db.t3.large"
    """RDS instance class."""

    capacity_gib: Annotated[int, Field(ge=20, le=65_536)] = 100
    """Size of the database's storage."""

    multi_az: bool = False
    """Whether the database has a standby in the second zone."""

    backup_retention_days: Annotated[int, Field(ge=1, le=35)] = 7
    """Retention of automatic backups."""

    existing: ExistingDatabase | None = None
    """An existing database to use instead of creating one."""


class Containers(Model):
    """Containers in jobs."""

    pyxis: bool = False
    """Containers in Slurm jobs (Enroot with the Pyxis plug-in)."""

    install: Literal["image", "mirrored"] = "image"
    """image: the image includes both. mirrored: nodes install them from the cluster's bucket."""

    cuda: (
        Annotated[str, Field(pattern=formats.CUDA.pattern, examples=[formats.CUDA.example])] | None
    ) = None
    """The newest CUDA version in containers of jobs; compared with the driver of the image."""


class Partition(Model):
    """A Slurm partition: groups whose nodes a job can use."""

    name: Name
    """Name of the partition; the first partition is the default."""

    groups: Annotated[list[Name], Field(min_length=1, examples=[["workers"]])]
    """Names of compute groups; each group is in exactly one partition."""

    max_time_minutes: Minutes | None = None
    """Time limit of jobs; no limit if absent. Scripted mode only."""

    priority_tier: Annotated[int, Field(ge=1, le=65_533)] = 1
    """Jobs in partitions with a higher tier are scheduled first. Scripted mode only."""


class PriorityWeights(Model):
    """Weights of Slurm's multifactor priority; 0 disables a factor."""

    age: Weight = 1000
    """Time in the queue, with its maximum after a week."""

    fair_share: Weight = 10_000
    """Unused share of the account, with a half-life of two weeks."""

    job_size: Weight = 1000
    """Size of the job."""

    partition: Weight = 1000
    """Priority of the partition."""

    qos: Weight = 100_000
    """Priority of the job's QOS."""


class Timeouts(Model):
    """Slurm timeouts."""

    node_down_seconds: Annotated[int, Field(ge=30, le=3600)] = 300
    """A node that does not respond for this time is set to down, and its jobs are requeued."""

    message_seconds: Annotated[int, Field(ge=10, le=100)] = 60
    """Time to wait for a response: nodes with a hanging file system respond late and should keep
    their jobs."""

    credential_seconds: Annotated[int, Field(ge=30, le=600)] = 120
    """Lifetime of job credentials: a job must start within it, and a job that lost its node waits
    for this time."""

    kill_wait_seconds: Annotated[int, Field(ge=1, le=3600)] = 60
    """Time between SIGTERM and SIGKILL at the end of a job, for example to finish a checkpoint."""


class Qos(Model):
    """A quality of service, which jobs select with `--qos`."""

    name: Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern, examples=["urgent"])]
    """Name of the QOS; `normal` is predefined by Slurm and has priority 0."""

    priority: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Priority relative to other QOS, weighted by `priority_weights.qos`."""

    preempts: list[Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern)]] = []
    """QOS whose jobs its jobs preempt. Scripted mode only."""

    grace_seconds: Annotated[int, Field(ge=0, le=3600)] = 0
    """Time between SIGTERM and the end of a preempted job. Scripted mode only."""

    max_nodes_per_user: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Maximum number of nodes of a user's running jobs; no limit if absent."""

    max_time_minutes: Minutes | None = None
    """Time limit of jobs; no limit if absent."""


class SlurmAccount(Model):
    """Share and limits of an account. Accounts that are only referenced by users need no entry."""

    name: Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern, examples=["research"])]
    """Name of the account, as in `slurm_account` of users."""

    fair_share: Annotated[int, Field(ge=1, le=65_533)] = 1
    """Share, relative to the shares of the other accounts."""

    max_nodes: Annotated[int, Field(ge=1, le=6758)] | None = None
    """Maximum number of nodes of its running jobs; no limit if absent."""

    qos: list[Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern)]] = []
    """QOS that its jobs may select; `normal` and every QOS of the spec if absent."""


class UserGroup(Model):
    """A Unix group with a fixed gid."""

    name: UnixName
    """The group's name."""

    gid: UnixId
    """Must be equal on every cluster that shares the file system."""


class User(Model):
    """A user with a Unix account on every node."""

    name: UnixName
    """The login name."""

    uid: UnixId
    """Must be equal on every cluster that shares the file system."""

    gid: UnixId | None = None
    """Primary group; equal to the uid if absent."""

    groups: list[UnixName] = []
    """Additional groups from `user_groups`."""

    ssh_public_keys: list[
        Annotated[
            str,
            Field(
                pattern=formats.SSH_PUBLIC_KEY.pattern, examples=[formats.SSH_PUBLIC_KEY.example]
            ),
        ]
    ] = []
    """Written to a marked block of the user's `authorized_keys`; other lines are kept."""

    slurm_account: Annotated[str, Field(pattern=formats.SLURM_ACCOUNT.pattern)] = "default"
    """The account that the user's jobs are charged to."""

    sudo: bool = False
    """Whether the user may become root on every node."""


class Slurm(Model):
    """The scheduler and its users."""

    configuration: Literal["managed", "scripted"] = "managed"
    """managed: HyperPod or ParallelCluster configures Slurm, then the node program finishes the
    node. scripted: the node program configures everything, as HyperPod's OnCreate script."""

    strategy: Literal["Managed", "Merge", "Overwrite"] | None = None
    """Managed mode only: how HyperPod handles manual changes to slurm.conf."""

    partitions: list[Partition] = []
    """Each group is in one partition; if absent, all compute groups are in `training`."""

    accounting: Accounting = Field(default_factory=Accounting.model_construct)
    """Where job records are kept."""

    containers: Containers = Field(default_factory=Containers.model_construct)
    """Containers in jobs."""

    topology: Literal["auto", "tree", "block", "none"] = "auto"
    """Topology plug-in of Slurm. HyperPod: other values than auto in scripted mode only.
    ParallelCluster: tree, and block for p6e-gb200 in Capacity Blocks."""

    priority_weights: PriorityWeights = Field(default_factory=PriorityWeights.model_construct)
    """Order of pending jobs; scripted mode only."""

    preemption: Literal["off", "requeue", "cancel"] = "off"
    """Whether preempted jobs are requeued or cancelled. Scripted mode only."""

    timeouts: Timeouts = Field(default_factory=Timeouts.model_construct)
    """Slurm timeouts; scripted mode only."""

    qos: list[Qos] = []
    """Priorities and limits that jobs select."""

    accounts: list[SlurmAccount] = []
    """Shares and limits of accounts."""

    restrict_ssh_to_jobs: bool = False
    """Users without `sudo` can log in to a compute node by SSH only while one of their jobs runs
    there."""

    metadata_service_users: list[UnixName] = []
    """System accounts of additional services that may use the node's role, through the instance
    metadata service. HyperPod only. Root and AWS's own agents always may; users never."""

    user_groups: list[UserGroup] = []
    """Unix groups of several users; may be in the users file."""

    users: list[User] = []
    """A list, or the path of a YAML file with this list, relative to this file."""

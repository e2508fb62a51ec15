"""Values of a deployment that are not in a spec: ids, addresses, names. Always text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clusterwright.cluster_spec.models.cluster import Cluster

ON_NODE_CONFIGURED = "on_node_configured.sh"
"""The script that ParallelCluster runs on each node, in the folder of the scripts."""


@dataclass(frozen=True)
class Database:
    """The accounting database. The secret is only the password, as plain text.

    Source: ParallelCluster's guide, `SlurmSettings/Database/PasswordSecretArn`: "the ARN of the
    secret that contains the plaintext password" of UserName.
    """

    host: str
    port: str
    user_name: str
    password_secret_arn: str
    name: str


@dataclass(frozen=True)
class Scripts:
    """One version of the scripts.

    Attributes
    ----------
    s3_uri:
        The folder, `s3://bucket/prefix`, without `/` at the end.
    manifest_sha256:
        SHA-256 of `manifest.sha256` in that folder.
    """

    s3_uri: str
    manifest_sha256: str


@dataclass(frozen=True)
class Supplied:
    """Values that `render` copies unchanged.

    Attributes
    ----------
    head_subnet_id, login_subnet_id, compute_subnet_id:
        May be equal; private, in one zone.
    security_group_ids:
        Of every node, instead of ParallelCluster's own. At least one allows all traffic
        from and to itself, which EFA needs.
    head_security_group_ids:
        Of the head node, in addition: they open the accounting database to it.
    scripts_s3_uri:
        The folder with the scripts and the node program, `s3://bucket/prefix`, without `/` at the
        end; in its bucket `scripts_bucket`.
    manifest_sha256:
        SHA-256 of `manifest.sha256` in that folder, which lists every other file of it but
        `deployment.json`.
    entry_s3_uri, latest_s3_uri:
        The same script, and an object with the address of the latest scripts, both at addresses
        that no deployment changes: for the head node and login nodes.
    queue_scripts:
        Queue -> the scripts of its compute nodes, which change only if these nodes are concerned;
        `scripts_s3_uri` for queues without an entry.
    policy_arns:
        Managed policies of every node's role, in addition to that for shells and those that
        ParallelCluster creates: permissions for keys, secrets and, for login nodes, scripts and
        buckets. (`S3Access` is rendered for the others; pools of login nodes have none.)
    lustre_ids:
        File system of the spec, by name -> `fs-...`; existing ones are not needed.
    home_volume_id:
        `fsvol-...` of the home directories; None without any, or if the spec has it.
    placement_group_names:
        Compute group -> the cluster placement group built for it.
    database:
        The accounting database on RDS.
    """

    head_subnet_id: str
    login_subnet_id: str
    compute_subnet_id: str
    security_group_ids: tuple[str, ...]
    scripts_s3_uri: str
    scripts_bucket: str
    manifest_sha256: str
    entry_s3_uri: str
    latest_s3_uri: str
    head_security_group_ids: tuple[str, ...] = ()
    queue_scripts: Mapping[str, Scripts] = field(default_factory=dict)
    policy_arns: tuple[str, ...] = ()
    lustre_ids: Mapping[str, str] = field(default_factory=dict)
    home_volume_id: str | None = None
    placement_group_names: Mapping[str, str] = field(default_factory=dict)
    database: Database | None = None

    def scripts_of(self, queue: str) -> Scripts:
        """Return the scripts of the compute nodes of a queue."""
        return self.queue_scripts.get(queue) or self.scripts

    @property
    def scripts(self) -> Scripts:
        """Return the scripts of the head node, with the whole `cluster.json`."""
        return Scripts(self.scripts_s3_uri, self.manifest_sha256)


PLACEHOLDER_SUBNET = "subnet-{:017d}"
PLACEHOLDER_SECURITY_GROUP = "sg-00000000000000000"
PLACEHOLDER_FILE_SYSTEM = "fs-{:017d}"
PLACEHOLDER_VOLUME = "fsvol-00000000000000000"
PLACEHOLDER_BUCKET = "placeholder-scripts"
PLACEHOLDER_POLICY = "placeholder-nodes"
PLACEHOLDER_SHA256 = "0" * 64
PLACEHOLDER_DATABASE = "placeholder.invalid"


def placeholders(cluster: Cluster) -> Supplied:
    """Return values that satisfy the schema, but not AWS, for use without a deployment.

    Values of the spec are used if it has them: an existing network, file system, volume or
    database.
    """
    network = cluster.network.existing
    subnets = (
        [network.subnet_ids[0]] * 3
        if network is not None
        else [PLACEHOLDER_SUBNET.format(number) for number in range(3)]
    )
    groups = (
        tuple(network.security_group_ids) if network is not None else (PLACEHOLDER_SECURITY_GROUP,)
    )
    accounting = cluster.slurm.accounting
    database = None
    if accounting.kind == "rds" and accounting.existing is None:
        secret = f"secret:{cluster.environment}/slurm-accounting-password-000000"
        database = Database(
            host=PLACEHOLDER_DATABASE,
            port="3306",
            user_name="slurm",
            password_secret_arn=(
                f"arn:{cluster.partition}:secretsmanager:{cluster.region}:{cluster.account}:{secret}"
            ),
            name="slurm_acct_db",
        )
    built = [fs for fs in cluster.storage.lustre if fs.existing is None]
    home = cluster.storage.home
    return Supplied(
        head_subnet_id=subnets[0],
        login_subnet_id=subnets[1],
        compute_subnet_id=subnets[2],
        security_group_ids=groups,
        scripts_s3_uri=f"s3://{PLACEHOLDER_BUCKET}/{cluster.environment}",
        scripts_bucket=PLACEHOLDER_BUCKET,
        manifest_sha256=PLACEHOLDER_SHA256,
        entry_s3_uri=f"s3://{PLACEHOLDER_BUCKET}/{ON_NODE_CONFIGURED}",
        latest_s3_uri=f"s3://{PLACEHOLDER_BUCKET}/latest",
        policy_arns=(
            f"arn:{cluster.partition}:iam::{cluster.account}:policy/{PLACEHOLDER_POLICY}",
        ),
        lustre_ids={
            str(fs.name): PLACEHOLDER_FILE_SYSTEM.format(number) for number, fs in enumerate(built)
        },
        home_volume_id=(
            PLACEHOLDER_VOLUME if home is not None and home.existing is None else None
        ),
        database=database,
    )

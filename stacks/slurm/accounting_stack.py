"""The accounting database of Slurm, outside the cluster, so that it outlives the controller."""

from __future__ import annotations

from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import accounting_secret
from stacks.base.acknowledge import acknowledge
from stacks.base.cluster_stack import ClusterStack
from stacks.base.log_groups import log_group
from stacks.network.network_stack import Attachments
from stacks.network.security_groups import DATABASE_PORT

DATABASE_NAME = "slurm_acct_db"
"""slurmdbd's own default."""

ENGINE = "mariadb"
FAMILY = f"{ENGINE}11.4"
ENGINE_VERSION = "11.4.13"
"""The newest of the series in cfn-lint's list of 2026-10-20; RDS applies newer ones by itself."""

USER_NAME = "slurm"
"""Of slurmdbd in the database."""

PARAMETERS = {
    # Connections without TLS are refused.
    "require_secure_transport": "1",
    # slurmdbd's requirements of its database (Slurm's accounting guide): a rollup of a large
    # cluster locks rows for minutes and sends large rows.
    "innodb_lock_wait_timeout": "900",
    "max_allowed_packet": "16777216",
}


@dataclass(frozen=True)
class AccountingDatabase:
    """How slurmdbd reaches the database; tokens where it is built."""

    endpoint: str
    port: str | int
    database_name: str
    secret_arn: str


def existing_database(cluster: Cluster) -> AccountingDatabase | None:
    """A database that somebody else owns."""
    existing = cluster.slurm.accounting.existing
    if existing is None:
        return None
    return AccountingDatabase(
        existing.endpoint, existing.port, existing.database_name, existing.secret_arn
    )


def is_built(cluster: Cluster) -> bool:
    """Whether the spec asks for a database of the cluster's own."""
    accounting = cluster.slurm.accounting
    return accounting.kind == "rds" and accounting.existing is None


class AccountingStack(ClusterStack):
    """Stateful: an encrypted RDS instance that only the VPC can reach, and its secret."""

    NAME_SUFFIX = "accounting"
    STATEFUL = True

    def __init__(
        self, scope: Construct, cluster: Cluster, attachments: Attachments, *, key_arn: str
    ) -> None:
        super().__init__(scope, cluster, description="Slurm accounting database")
        self._key_arn = key_arn
        self._plain = cluster.traits.accounting_secret_is_password
        self.secret = self._secret()
        self.instance = self._instance(attachments)
        cdk.CfnOutput(self, "AccountingHost", value=self.instance.attr_endpoint_address)
        cdk.CfnOutput(self, "AccountingSecretArn", value=self.secret.ref)
        if self._plain:
            self.database = self._database(self.secret.ref)
            return
        attachment = secretsmanager.CfnSecretTargetAttachment(
            self,
            "SecretAttachment",
            secret_id=self.secret.ref,
            target_id=self.instance.ref,
            target_type="AWS::RDS::DBInstance",
        )
        # Its deletion would take the address out of a secret that stays.
        self.protect(attachment)
        # The attachment's Ref is the secret, complete with host and port.
        self.database = self._database(attachment.ref)

    def _database(self, secret_arn: str) -> AccountingDatabase:
        return AccountingDatabase(
            endpoint=self.instance.attr_endpoint_address,
            port=self.instance.attr_endpoint_port,
            database_name=DATABASE_NAME,
            secret_arn=secret_arn,
        )

    def _secret(self) -> secretsmanager.CfnSecret:
        secret = secretsmanager.CfnSecret(
            self,
            "Secret",
            name=accounting_secret(self.cluster),
            description=f"{self.cluster.environment}: Slurm accounting database",
            kms_key_id=self._key_arn,
            generate_secret_string=secretsmanager.CfnSecret.GenerateSecretStringProperty(
                # ParallelCluster wants the password alone, HyperPod user name and address too.
                secret_string_template=None if self._plain else f'{{"username": "{USER_NAME}"}}',
                generate_string_key=None if self._plain else "password",
                password_length=32,
                # slurmdbd.conf is lines of key=value.
                exclude_punctuation=True,
            ),
        )
        self.protect(secret)
        acknowledge(
            secret,
            "AwsSolutions-SMG4",
            "HyperPod reads the secret when the controller is configured: a rotation behind its "
            "back would lock slurmdbd out (docs/explanations/what-is-built.md: how to rotate it)",
        )
        return secret

    def _instance(self, attachments: Attachments) -> rds.CfnDBInstance:
        cluster, accounting = self.cluster, self.cluster.slurm.accounting
        retain = cluster.protection == "retain"
        identifier = f"{cluster.environment}-accounting"
        subnets = rds.CfnDBSubnetGroup(
            self,
            "Subnets",
            db_subnet_group_description=f"{cluster.environment}: Slurm accounting database",
            subnet_ids=list(attachments.database_subnet_ids),
        )
        parameters = rds.CfnDBParameterGroup(
            self,
            "Parameters",
            family=FAMILY,
            description=f"{cluster.environment}: TLS only, and what slurmdbd needs",
            parameters=PARAMETERS,
        )
        logs = log_group(
            self,
            "ErrorLogs",
            # RDS writes to this name, and would make the group without an end.
            name=f"/aws/rds/instance/{identifier}/error",
            days=cluster.observability.log_retention_days,
            key_arn=self._key_arn,
        )
        instance = rds.CfnDBInstance(
            self,
            "Instance",
            db_instance_identifier=identifier,
            db_instance_class=accounting.instance_class,
            engine=ENGINE,
            engine_version=ENGINE_VERSION,
            db_name=DATABASE_NAME,
            port=str(DATABASE_PORT),
            allocated_storage=str(accounting.capacity_gib),
            storage_type="gp3",
            storage_encrypted=True,
            kms_key_id=self._key_arn,
            # Written out, since RDS makes another instance where it changes: the secrets of the
            # two platforms that have a database differ, and a move between them keeps it.
            master_username=USER_NAME,
            master_user_password=self._from_secret("" if self._plain else ":password"),
            db_subnet_group_name=subnets.ref,
            db_parameter_group_name=parameters.ref,
            vpc_security_groups=list(attachments.database_security_group_ids),
            publicly_accessible=False,
            multi_az=accounting.multi_az,
            auto_minor_version_upgrade=True,
            backup_retention_period=accounting.backup_retention_days,
            copy_tags_to_snapshot=True,
            delete_automated_backups=not retain,
            deletion_protection=retain,
            enable_cloudwatch_logs_exports=["error"],
        )
        instance.add_resource_dependency(logs)
        # RDS deletes neither group while an instance that stays uses it.
        for resource in (instance, subnets, parameters):
            self.protect(resource)
        self._acknowledge(instance)
        return instance

    def _from_secret(self, key: str) -> str:
        """A reference that CloudFormation resolves at deployment: no template holds the value."""
        return cdk.Fn.join(
            "", ["{{resolve:secretsmanager:", self.secret.ref, f":SecretString{key}}}}}"]
        )

    def _acknowledge(self, instance: rds.CfnDBInstance) -> None:
        accounting = self.cluster.slurm.accounting
        acknowledge(
            instance,
            "AwsSolutions-RDS11",
            "HyperPod and slurmdbd expect MySQL's port; the security group admits nodes alone",
        )
        if not accounting.multi_az:
            acknowledge(
                instance,
                "AwsSolutions-RDS3",
                "multi_az is the spec's: while the database is away Slurm goes on and slurmctld "
                "keeps the records, so one zone is enough where accounting may lag",
            )
        if self.cluster.protection == "destroy":
            acknowledge(
                instance,
                "AwsSolutions-RDS10",
                "protection: destroy says that nothing is to outlive the stack",
            )

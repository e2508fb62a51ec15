"""The stack of Slurm's accounting database, which is independent of the controller."""

from __future__ import annotations

from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import accounting_secret, accounting_user_secret
from stacks.base.acknowledge import acknowledge
from stacks.base.cluster_stack import ClusterStack
from stacks.base.log_groups import log_group
from stacks.network.network_stack import Attachments
from stacks.network.security_groups import DATABASE_PORT

DATABASE_NAME = "slurm_acct_db"
"""The default name of slurmdbd."""

ENGINE = "mariadb"
FAMILY = f"{ENGINE}11.4"
ENGINE_VERSION = "11.4.13"
"""The newest version in cfn-lint's list of 2026-10-20; RDS applies newer minor versions."""

ADMIN_NAME = "slurm"
"""RDS's master user. slurmdbd signs in with it where the platform starts slurmdbd: HyperPod's
managed configuration and ParallelCluster."""

USER_NAME = "slurmdbd"
"""slurmdbd's own user in the scripted configuration, with privileges on its database only; the
controller creates it (step slurm_database_user)."""

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
    """Connection data of slurmdbd; tokens if the stacks create the database."""

    endpoint: str
    port: str | int
    database_name: str
    secret_arn: str
    """The user and password of slurmdbd."""

    admin_secret_arn: str | None = None
    """The master user's, where the controller creates slurmdbd's user with it."""


def existing_database(cluster: Cluster) -> AccountingDatabase | None:
    """The existing database of the spec."""
    existing = cluster.slurm.accounting.existing
    if existing is None:
        return None
    return AccountingDatabase(
        existing.endpoint, existing.port, existing.database_name, existing.secret_arn
    )


def is_built(cluster: Cluster) -> bool:
    """Whether the stacks create a database."""
    accounting = cluster.slurm.accounting
    return accounting.kind == "rds" and accounting.existing is None


class AccountingStack(ClusterStack):
    """Stateful: an encrypted RDS instance in the VPC, and its secret."""

    NAME_SUFFIX = "accounting"
    STATEFUL = True

    def __init__(
        self, scope: Construct, cluster: Cluster, attachments: Attachments, *, key_arn: str
    ) -> None:
        super().__init__(scope, cluster, description="Slurm accounting database")
        self._key_arn = key_arn
        self._plain = cluster.traits.accounting_secret_is_password
        self.secret = self._secret(
            "Secret",
            accounting_secret(cluster),
            "Slurm accounting database",
            # ParallelCluster expects the password only, HyperPod also user name and address.
            user_name=None if self._plain else ADMIN_NAME,
        )
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
        # Its deletion would remove the address from a secret that is retained.
        self.protect(attachment)
        # The attachment's Ref is the secret, after host and port were added.
        admin = attachment.ref
        user = accounting_user_secret(cluster)
        if user is None:
            self.database = self._database(admin)
            return
        secret = self._secret(
            "UserSecret", user, "user of slurmdbd in the accounting database", user_name=USER_NAME
        )
        self.database = self._database(secret.ref, admin_secret_arn=admin)

    def _database(
        self, secret_arn: str, *, admin_secret_arn: str | None = None
    ) -> AccountingDatabase:
        return AccountingDatabase(
            endpoint=self.instance.attr_endpoint_address,
            port=self.instance.attr_endpoint_port,
            database_name=DATABASE_NAME,
            secret_arn=secret_arn,
            admin_secret_arn=admin_secret_arn,
        )

    def _secret(
        self, construct_id: str, name: str, what: str, *, user_name: str | None
    ) -> secretsmanager.CfnSecret:
        """A secret with a user name and a generated password, or with the password alone."""
        plain = user_name is None
        secret = secretsmanager.CfnSecret(
            self,
            construct_id,
            name=name,
            description=f"{self.cluster.environment}: {what}",
            kms_key_id=self._key_arn,
            generate_secret_string=secretsmanager.CfnSecret.GenerateSecretStringProperty(
                secret_string_template=None if plain else f'{{"username": "{user_name}"}}',
                generate_string_key=None if plain else "password",
                password_length=32,
                # slurmdbd.conf has lines of key=value.
                exclude_punctuation=True,
            ),
        )
        self.protect(secret)
        acknowledge(
            secret,
            "AwsSolutions-SMG4",
            "HyperPod reads the secret when it configures the controller: after an automatic "
            "rotation slurmdbd could not log in (docs/explanations/what-is-built.md: rotation)",
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
            # RDS writes to this name, and would create the log group without retention.
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
            # A constant, since a change replaces the instance: the secrets of the two platforms
            # with a database differ, and a move between them keeps the instance.
            master_username=ADMIN_NAME,
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
        # RDS deletes neither group while a retained instance uses it.
        for resource in (instance, subnets, parameters):
            self.protect(resource)
        self._acknowledge(instance)
        return instance

    def _from_secret(self, key: str) -> str:
        """A dynamic reference, which CloudFormation resolves at deployment."""
        return cdk.Fn.join(
            "", ["{{resolve:secretsmanager:", self.secret.ref, f":SecretString{key}}}}}"]
        )

    def _acknowledge(self, instance: rds.CfnDBInstance) -> None:
        accounting = self.cluster.slurm.accounting
        acknowledge(
            instance,
            "AwsSolutions-RDS11",
            "HyperPod and slurmdbd expect MySQL's port; the security group allows nodes only",
        )
        if not accounting.multi_az:
            acknowledge(
                instance,
                "AwsSolutions-RDS3",
                "the spec decides on multi_az: without the database Slurm keeps running and "
                "slurmctld "
                "stores the records, so one zone is enough if accounting may be late",
            )
        if self.cluster.protection == "destroy":
            acknowledge(
                instance,
                "AwsSolutions-RDS10",
                "with protection: destroy nothing is retained after the stack",
            )

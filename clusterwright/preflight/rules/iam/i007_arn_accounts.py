"""Keys, policies and secrets are in the cluster's account and region."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Severity, Subjects


@dataclass(frozen=True)
class _NamedArn:
    arn: str
    what: str
    severity: Severity
    """The severity if only the account differs."""


class ArnAccounts(Rule[_NamedArn]):
    id = "CW-I007"
    prevents = (
        "CreateRole fails for a permissions boundary of another account; nodes look up the "
        "secret in their own region and do not find it"
    )
    source = (
        "IAM CreateRole, PermissionsBoundary; Secrets Manager, GetSecretValue; KMS developer "
        "guide, keys of other accounts"
    )

    def subjects(self, context: Context) -> Subjects[_NamedArn]:
        cluster = context.cluster
        if cluster.identity.kms_key_arn is not None:
            path = ("identity", "kms_key_arn")
            # FSx, RDS and S3 accept keys of other accounts, whose policy cannot be read here.
            yield path, _NamedArn(cluster.identity.kms_key_arn, "the key", "warning")
        if cluster.identity.permissions_boundary_arn is not None:
            path = ("identity", "permissions_boundary_arn")
            arn = cluster.identity.permissions_boundary_arn
            yield path, _NamedArn(arn, "the boundary", "error")
        database = cluster.slurm.accounting.existing
        if database is not None:
            place = ("slurm", "accounting", "existing", "secret_arn")
            yield place, _NamedArn(database.secret_arn, "the secret", "warning")

    def check(self, named: _NamedArn, context: Context) -> Results:
        cluster = context.cluster
        _, _, _, region, account, _ = named.arn.split(":", 5)
        if region and region != cluster.region:
            yield Fail(
                message=f"{named.what} is in {region}, the cluster is in {cluster.region}",
                requested=cluster.region,
                limit=region,
            )
        if account not in (cluster.account, "aws"):
            yield Fail(
                message=f"{named.what} belongs to account {account}, the cluster to "
                f"{cluster.account}",
                severity=named.severity,
                requested=cluster.account,
                limit=account,
            )

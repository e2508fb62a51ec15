"""What is named by its ARN is of the cluster's account and region."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Severity, Subject, Subjects


@dataclass(frozen=True)
class _Named:
    arn: str
    what: str
    severity: Severity
    """Where only the account is another."""


class WhoseArns(Rule[_Named]):
    id = "CW-I007"
    title = "Keys, policies and secrets are of the cluster's account and region"
    scope = "offline"
    prevents = (
        "CreateRole fails for a boundary of another account; nodes ask their own region for the "
        "secret and find none"
    )
    source = (
        "IAM CreateRole, PermissionsBoundary; Secrets Manager, GetSecretValue; KMS developer "
        "guide, keys of other accounts"
    )

    def subjects(self, context: Context) -> Subjects[_Named]:
        cluster = context.cluster
        if cluster.identity.kms_key_arn is not None:
            path = ("identity", "kms_key_arn")
            # FSx, RDS and S3 take keys of other accounts, whose policy cannot be read from here.
            yield Subject(path, _Named(cluster.identity.kms_key_arn, "the key", "warning"))
        if cluster.identity.permissions_boundary_arn is not None:
            path = ("identity", "permissions_boundary_arn")
            arn = cluster.identity.permissions_boundary_arn
            yield Subject(path, _Named(arn, "the boundary", "error"))
        database = cluster.slurm.accounting.existing
        if database is not None:
            place = ("slurm", "accounting", "existing", "secret_arn")
            yield Subject(place, _Named(database.secret_arn, "the secret", "warning"))

    def check(self, named: _Named, context: Context) -> Results:
        cluster = context.cluster
        _, _, _, region, account, _ = named.arn.split(":", 5)
        if region and region != cluster.region:
            yield Fail(
                message=f"{named.what} is in {region}, the cluster in {cluster.region}",
                requested=cluster.region,
                limit=region,
            )
        if account not in (cluster.account, "aws"):
            yield Fail(
                message=f"{named.what} is of account {account}, the cluster of {cluster.account}",
                severity=named.severity,
                requested=cluster.account,
                limit=account,
            )


RULE = WhoseArns()

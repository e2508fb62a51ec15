"""Tests of CW-I009."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.secretsmanager import Secret
from clusterwright.preflight.facts.deployment import (
    NamedSecret,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.access import ACCOUNT, KEY, OWN_KEY


def test_secret_key_without_decrypt_permission_is_reported(rule: Harness) -> None:
    path = "slurm.accounting.existing.secret_arn"
    arn = f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:slurm-AbCdEf"
    existing = {"endpoint": "db.example.internal", "secret_arn": arn}
    changes = {"slurm.accounting": {"kind": "rds", "existing": existing}}

    def secret(key: str | None, *, deleted: bool = False) -> dict[Any, Any]:
        return {NamedSecret(arn): Secret(arn, deleted, key)}

    other = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/2"
    rule.fails("CW-I009", changes, secret(other), path=path, message="have no permissions")
    rule.fails(
        "CW-I009", {**changes, **OWN_KEY}, secret(other), path=path, message="no permissions"
    )
    for key in (None, f"arn:aws:kms:us-east-1:{ACCOUNT}:alias/aws/secretsmanager"):
        rule.passes("CW-I009", changes, secret(key))
    for key in (KEY, "1"):
        rule.passes("CW-I009", {**changes, **OWN_KEY}, secret(key))
    rule.passes("CW-I009", changes, secret(other, deleted=True))
    rule.passes("CW-I009", changes, {NamedSecret(arn): None})
    theirs = arn.replace(ACCOUNT, "999988887777")
    changes["slurm.accounting"]["existing"]["secret_arn"] = theirs
    foreign = {NamedSecret(theirs): Secret(theirs, False, None)}
    rule.fails(
        "CW-I009",
        changes,
        foreign,
        path=path,
        message="the secret belongs to another account and is encrypted with the AWS managed "
        "key, which other accounts cannot use",
    )

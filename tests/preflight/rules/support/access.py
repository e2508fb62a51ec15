"""Facts and specs for the tests of access."""

from __future__ import annotations

import json
from typing import Any

from clusterwright.aws import s3
from clusterwright.aws.iam import Simulated
from clusterwright.aws.kms import Key
from clusterwright.aws.s3 import BucketEncryption
from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.buckets import BucketKey, BucketKeys, BucketPolicy, KeyPolicy
from clusterwright.preflight.facts.deployment import (
    BoundaryLeaves,
    DeployedRoleMay,
    Parameter,
    Role,
    RoleMay,
)
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.registry import rule_files
from tests.preflight.harness import TODAY, Harness
from tests.support import specs

ACCOUNT = specs.ACCOUNT

SLR = (
    f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/"
    "AWSServiceRoleForFSxS3Access_"
)

LINK = {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]}

LINKED = {"storage.lustre": [{**specs.LUSTRE, "repositories": [LINK]}]}

PLACE = "storage.lustre[0].repositories[0].s3"


def policy(effect: str = "Deny", **more: Any) -> str:
    statement = {"Effect": effect, "Principal": "*", "Action": "s3:*", "Resource": "*", **more}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def bucket(text: str | None, *file_systems: Any) -> dict[Any, Any]:
    return {BucketPolicy("acme-corpus"): text, storage.FileSystems(): file_systems}


DENIES = [
    policy(),
    policy(Action="s3:Get*"),
    policy(Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"}),
    policy(Resource=["arn:aws:s3:::acme-corpus", "arn:aws:s3:::acme-corpus/*"]),
    policy(Condition={"StringNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/admin"}}),
    policy(Action="s3:PutBucketNotification"),
]

LETS_IN = [
    None,
    policy("Allow"),
    policy(Condition={"Bool": {"aws:SecureTransport": "false"}}),
    policy(Action="s3:PutObject"),
    policy(Resource="arn:aws:s3:::acme-corpus/private/*"),
    policy(Condition={"ArnNotLike": {"aws:PrincipalArn": f"{SLR}*"}}),
    policy(Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/intern"}),
]

WHO_KNOWS = [
    policy(Condition={"StringNotEquals": {"aws:SourceVpce": "vpce-1"}}),
    policy(Condition={"NotIpAddress": {"aws:SourceIp": "10.0.0.0/8"}}),
    policy(Condition={"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}}),
    "{",
]

KEY = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1"

ADMITS = {
    "Principal": "*",
    "Action": ["kms:Decrypt", "kms:GenerateDataKey*", "kms:DescribeKey"],
    "Condition": {
        "StringEquals": {
            "kms:CallerAccount": ACCOUNT,
            "kms:ViaService": "s3.us-east-1.amazonaws.com",
        },
        "ArnLike": {"aws:PrincipalArn": f"{SLR}*"},
    },
}

ROOT = {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "kms:*"}


def keys(text: str | None, *, state: str = "Enabled", found: bool = True) -> dict[Any, Any]:
    key = Key(KEY, state, "SYMMETRIC_DEFAULT", "CUSTOMER") if found else None
    there = BucketKey(BucketEncryption(True, KEY, True), key, text)
    return {BucketKeys("acme-corpus"): there, storage.FileSystems(): ()}


OWN_KEY = {"identity.kms_key_arn": KEY}

LOGS = {
    "Principal": {"Service": "logs.us-east-1.amazonaws.com"},
    "Action": ["kms:Encrypt*", "kms:Decrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
    "Condition": {
        "ArnLike": {"kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:us-east-1:{ACCOUNT}:*"}
    },
}


def key_policy(*statements: dict[str, Any]) -> dict[Any, Any]:
    written = [{"Effect": "Allow", "Resource": "*", **one} for one in statements]
    text = json.dumps({"Version": "2012-10-17", "Statement": written})
    return {KeyPolicy(KEY): text, storage.FileSystems(): ()}


ROLES = [f"cdk-hnb659fds-{kind}-{ACCOUNT}-us-east-1" for kind in (
    "deploy-role", "cfn-exec-role", "file-publishing-role",
)]  # fmt: skip

ASSETS = f"cdk-hnb659fds-assets-{ACCOUNT}-us-east-1"


def bootstrap(version: str | None, *, roles: bool = True, bucket: bool = True) -> dict[Any, Any]:
    return {
        Parameter("/cdk-bootstrap/hnb659fds/version"): version,
        storage.Bucket(ASSETS): s3.Bucket(ASSETS, "us-east-1") if bucket else None,
        **{Role(name): roles for name in ROLES},
    }


def refused(action: str, decision: str = "implicitDeny", **more: Any) -> Simulated:
    given = {"missing": (), "by_organization": None, "by_boundary": None, **more}
    return Simulated(action, "*", decision, **given)


def rights(
    rule: Harness,
    name: str,
    changes: dict[str, Any],
    *results: Simulated,
    exists: bool = True,
) -> dict[Fact[Any], Any]:
    """What a rule asks the simulator: `results` are said of their actions, all else is allowed.

    Service-linked roles are not there. `exists`: whether the simulated role or policy is.
    """
    said = {one.action: one for one in results}

    def answer(fact: Fact[Any]) -> Any:
        if isinstance(fact, Role):
            return False
        assert isinstance(fact, (RoleMay, BoundaryLeaves, DeployedRoleMay))
        return (
            tuple(
                said.get(action) or Simulated(action, one.resource, "allowed", (), None, None)
                for one in fact.asked
                for action in one.actions
            )
            if exists
            else None
        )

    context = Context(specs.load(rule.folder, changes), load_catalog(), TODAY)
    (file,) = [file for file in rule_files() if file.id == name]
    return {
        fact: answer(fact)
        for subject in file.rule.subjects(context)
        for fact in file.rule.facts_for(subject, context)
    }


BOUNDED = {"identity.permissions_boundary_arn": f"arn:aws:iam::{ACCOUNT}:policy/b"}

FILES = {"storage.lustre": [specs.LUSTRE]}

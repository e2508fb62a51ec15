"""Who is let in: policies of buckets and keys, simulated rights, the CDK bootstrap, images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.aws import s3
from clusterwright.aws.ec2.images import Image
from clusterwright.aws.iam import Simulated
from clusterwright.aws.kms import Key
from clusterwright.aws.s3 import BucketEncryption
from clusterwright.aws.secretsmanager import Secret
from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.buckets import BucketKey, BucketKeys, BucketPolicy, KeyPolicy
from clusterwright.preflight.facts.deployment import (
    BoundaryLeaves,
    DeployedRoleMay,
    MachineImage,
    NamedSecret,
    Parameter,
    Role,
    RoleMay,
)
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.registry import rule_files
from clusterwright.preflight.rules.deployment.bootstrap import qualifier
from tests.preflight.existing_storage import FOUND
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


@pytest.mark.parametrize("text", DENIES)
def test_a_bucket_that_denies_fsx(rule: Harness, text: str) -> None:
    finding = rule.fails(
        "CW-S025", LINKED, bucket(text), path=PLACE, message="the policy of acme-corpus denies FSx"
    )
    assert finding.hint is not None
    assert f"{SLR}*" in finding.hint


@pytest.mark.parametrize("text", LETS_IN)
def test_a_bucket_that_lets_fsx_in(rule: Harness, text: str | None) -> None:
    rule.passes("CW-S025", LINKED, bucket(text))


@pytest.mark.parametrize("text", WHO_KNOWS)
def test_a_bucket_of_which_nobody_knows(rule: Harness, text: str) -> None:
    rule.unsure("CW-S025", LINKED, bucket(text), path=PLACE, message="are not known before")


def test_an_export_writes_and_a_deployed_file_system_has_its_role(rule: Harness) -> None:
    out = {**LINK, "export": ["NEW", "DELETED"]}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [out]}]}
    message = "denies FSx s3:DeleteObject"
    text = policy(Action="s3:DeleteObject")
    rule.fails("CW-S025", changes, bucket(text), path=PLACE, message=message)
    only = policy(Condition={"StringNotEquals": {"aws:PrincipalArn": f"{SLR}{FOUND.id}"}})
    ours = FOUND.__class__(**{**FOUND.__dict__, "stack": "test-storage"})
    rule.passes("CW-S025", LINKED, bucket(only, ours))
    rule.fails("CW-S025", LINKED, bucket(only, FOUND), path=PLACE, message="denies FSx")


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


def test_the_key_of_a_bucket_admits_fsx(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S026",
        LINKED,
        keys(policy("Allow", **ROOT)),
        path=PLACE,
        message="the key of acme-corpus does not allow FSx",
    )
    assert finding.hint is not None
    assert "s3.us-east-1.amazonaws.com" in finding.hint
    rule.passes("CW-S026", LINKED, keys(policy("Allow", **ADMITS)))
    in_part = {**ADMITS, "Action": "kms:Decrypt"}
    rule.fails(
        "CW-S026", LINKED, keys(policy("Allow", **in_part)), path=PLACE, message="not allow"
    )
    context = {"kms:EncryptionContext:aws:s3:arn": "arn:aws:s3:::acme-corpus"}
    of_bucket = {**ADMITS, "Condition": {"StringLike": context}}
    rule.passes("CW-S026", LINKED, keys(policy("Allow", **of_bucket)))
    of_objects = {k: f"{v}/*" for k, v in context.items()}
    wrong = {**ADMITS, "Condition": {"StringLike": of_objects}}
    rule.fails("CW-S026", LINKED, keys(policy("Allow", **wrong)), path=PLACE, message="not allow")
    maybe = {**ADMITS, "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-1"}}}
    message = "whether the key of acme-corpus allows FSx"
    rule.unsure("CW-S026", LINKED, keys(policy("Allow", **maybe)), path=PLACE, message=message)


def test_the_key_of_a_bucket_can_be_used(rule: Harness) -> None:
    gone = keys(None, found=False)
    rule.fails(
        "CW-S026",
        LINKED,
        gone,
        path=PLACE,
        message="arn:aws:kms:us-east-1:111122223333:key/1, which does not exist",
    )
    off = keys("", state="PendingDeletion")
    rule.fails("CW-S026", LINKED, off, path=PLACE, message="is PendingDeletion")
    rule.passes("CW-S026", LINKED, keys(None))
    rule.passes("CW-S026", LINKED, {BucketKeys("acme-corpus"): None, storage.FileSystems(): ()})


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


def test_the_given_key_admits_roles_and_logs(rule: Harness) -> None:
    path = "identity.kms_key_arn"
    message = "does not allow CloudWatch Logs for /clusterwright/test/flow-logs"
    rule.fails("CW-I008", OWN_KEY, key_policy(ROOT), path=path, message=message)
    rule.fails(
        "CW-I008",
        OWN_KEY,
        key_policy(LOGS),
        path=path,
        message="does not allow the account's roles",
    )
    rule.passes("CW-I008", OWN_KEY, key_policy(ROOT, LOGS))
    other = {**LOGS, "Condition": {"ArnEquals": {
        "kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:x"
    }}}  # fmt: skip
    rule.fails("CW-I008", OWN_KEY, key_policy(ROOT, other), path=path, message=message)
    far = {**LOGS, "Principal": {"Service": "logs.us-west-2.amazonaws.com"}}
    rule.fails("CW-I008", OWN_KEY, key_policy(ROOT, far), path=path, message=message)
    rule.passes("CW-I008", {}, tested=False)


def test_the_given_key_admits_who_launches_the_nodes_of_eks(rule: Harness) -> None:
    workers = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    changes = {**OWN_KEY, "platform": "eks", "compute": [workers]}
    launcher = (
        f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/autoscaling.amazonaws.com/"
        "AWSServiceRoleForAutoScaling"
    )
    finding = rule.fails(
        "CW-I008",
        changes,
        key_policy(ROOT, LOGS),
        path="identity.kms_key_arn",
        message="does not allow AWSServiceRoleForAutoScaling kms:CreateGrant",
    )
    assert "it launches the nodes of EKS" in finding.message
    admits = {
        "Effect": "Allow",
        "Principal": {"AWS": launcher},
        "Action": ["kms:*"],
        "Resource": "*",
    }
    rule.passes("CW-I008", changes, key_policy(ROOT, LOGS, admits))


def test_the_given_key_admits_fsx_to_buckets_that_are_built(rule: Harness) -> None:
    built = {"storage.lustre": [{**specs.LUSTRE, "repositories": [{**LINK, "create": True}]}]}
    changes = {**OWN_KEY, **built}
    rule.fails(
        "CW-I008",
        changes,
        key_policy(ROOT, LOGS),
        path="identity.kms_key_arn",
        message="does not allow FSx for s3://acme-corpus kms:Decrypt",
    )
    rule.passes("CW-I008", changes, key_policy(ROOT, LOGS, ADMITS))
    network = {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-00000001",
            "subnet_ids": ["subnet-00000001"],
            "security_group_ids": ["sg-00000001"],
        },
    }
    # Without a network of its own no log group has the key.
    rule.passes("CW-I008", {**OWN_KEY, "network": network}, key_policy(ROOT))


def test_nodes_can_decrypt_the_secret(rule: Harness) -> None:
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


def test_the_account_is_bootstrapped(rule: Harness) -> None:
    finding = rule.fails(
        "CW-I010",
        {},
        bootstrap(None),
        path="account",
        message="is not bootstrapped in us-east-1",
        severity="warning",
    )
    assert finding.hint == f"`cdk bootstrap aws://{ACCOUNT}/us-east-1`"
    rule.fails("CW-I010", {}, bootstrap("5"), path="account", message="stack has version 5; 6 or")
    rule.fails("CW-I010", {}, bootstrap("28", roles=False), path="account", message="deploy-role-")
    gone = rule.fails(
        "CW-I010",
        {},
        bootstrap("28", bucket=False),
        path="account",
        message=f"the bucket {ASSETS} of the bootstrap stack",
        severity="error",
    )
    assert gone.hint is not None
    assert gone.hint.startswith("delete the stack CDKToolkit in us-east-1, then `cdk bootstrap")
    # An account that is not bootstrapped has no bucket either: one finding says it all.
    bare = bootstrap(None, roles=False, bucket=False)
    assert len(rule.run("CW-I010", {}, bare).findings) == 1
    rule.passes("CW-I010", {}, bootstrap("28"))
    rule.unsure("CW-I010", {}, bootstrap("x"), path="account", message="`x` is not a number")


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('{"context": {"@aws-cdk/core:bootstrapQualifier": "team"}}', "team"),
        ('{"context": {}}', "hnb659fds"),
        ("[]", "hnb659fds"),
        ("{", "hnb659fds"),
    ],
)
def test_the_qualifier_is_that_of_the_app(tmp_path: Path, written: str, found: str) -> None:
    (tmp_path / "cdk.json").write_text(written, encoding="utf-8")
    (tmp_path / "configs").mkdir()
    loaded = specs.load(tmp_path / "configs")
    assert qualifier(Context(loaded, load_catalog(), TODAY)) == found


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


def test_cloudformation_may_make_the_stacks(rule: Harness) -> None:
    name = f"cdk-hnb659fds-cfn-exec-role-{ACCOUNT}-us-east-1"
    denied = rights(rule, "CW-I011", FILES, refused("fsx:CreateFileSystem", by_organization=False))
    rule.fails(
        "CW-I011",
        FILES,
        denied,
        path="account",
        message=f"{name} is not allowed fsx:CreateFileSystem: a service control policy of the "
        "organi",
    )
    passing = rights(rule, "CW-I011", {}, refused("iam:PassRole", decision="explicitDeny"))
    rule.fails("CW-I011", {}, passing, path="account", message="iam:PassRole: a policy denies it")
    unsure = rights(
        rule, "CW-I011", {}, refused("ec2:CreateVpc", missing=("aws:PrincipalTag/team",))
    )
    message = "depends on aws:PrincipalTag/team"
    rule.unsure("CW-I011", {}, unsure, path="account", message=message)
    rule.passes("CW-I011", FILES, rights(rule, "CW-I011", FILES))
    rule.passes("CW-I011", FILES, rights(rule, "CW-I011", FILES, exists=False))
    asked = {a for fact in denied for one in fact.asked for a in one.actions}
    assert {"fsx:CreateFileSystem", "sagemaker:CreateCluster", "iam:PassRole"} <= asked
    fewer = {a for fact in passing for one in fact.asked for a in one.actions}
    assert "fsx:CreateFileSystem" not in fewer


def test_cloudformation_may_use_the_buckets_that_it_links(rule: Harness) -> None:
    links = [
        {"s3": "s3://acme-corpus/tokens", "path": "/data", "import": ["NEW"]},
        {"s3": "s3://acme-out/run", "path": "/out", "export": ["NEW"]},
    ]
    linked = {"storage.lustre": [{**specs.LUSTRE, "repositories": links}]}
    found = rights(rule, "CW-I011", linked)
    asked = {(a, one.resource) for fact in found for one in fact.asked for a in one.actions}
    assert ("s3:GetObject", "arn:aws:s3:::acme-corpus/*") in asked
    assert ("s3:PutObject", "arn:aws:s3:::acme-corpus/*") not in asked
    assert ("s3:PutObject", "arn:aws:s3:::acme-out/*") in asked
    assert ("s3:ListBucket", "arn:aws:s3:::acme-out") in asked
    rule.passes("CW-I011", linked, found)
    denied = rights(rule, "CW-I011", linked, refused("s3:ListBucket"))
    rule.fails("CW-I011", linked, denied, path="account", message="is not allowed")


def test_the_boundary_leaves_enough(rule: Harness) -> None:
    path = "identity.permissions_boundary_arn"
    changes = {**BOUNDED, **FILES}
    denied = rights(
        rule, "CW-I012", changes, refused("fsx:DescribeFileSystems", by_boundary=False)
    )
    rule.fails(
        "CW-I012",
        changes,
        denied,
        path=path,
        message="a node is not allowed fsx:DescribeFileSystems: the permissions boundary does "
        "not allow it",
    )
    rule.passes("CW-I012", changes, rights(rule, "CW-I012", changes))
    rule.passes("CW-I012", changes, rights(rule, "CW-I012", changes, exists=False))
    rule.passes("CW-I012", FILES, tested=False)


def test_roles_of_services_are_there_or_may_be_made(rule: Harness) -> None:
    action = "iam:CreateServiceLinkedRole"
    denied = rights(rule, "CW-I013", FILES, refused(action))
    rule.fails(
        "CW-I013",
        FILES,
        denied,
        path="account",
        message="AWSServiceRoleForAmazonFSx, for file systems, does not exist, and "
        "CloudFormation's role is not allowed iam:CreateServiceLinkedRole: no",
    )
    there = {fact: True if isinstance(fact, Role) else value for fact, value in denied.items()}
    rule.passes("CW-I013", FILES, there)
    rule.passes("CW-I013", FILES, rights(rule, "CW-I013", FILES))
    rule.passes("CW-I013", {}, tested=False)


def test_deployed_nodes_may_do_what_nodes_do(rule: Harness) -> None:
    denied = rights(rule, "CW-I016", FILES, refused("s3:GetObject", by_boundary=False))
    rule.fails("CW-I016", FILES, denied, path="environment", message="a node is not allowed")
    rule.passes("CW-I016", FILES, rights(rule, "CW-I016", FILES))
    rule.passes("CW-I016", FILES, rights(rule, "CW-I016", FILES, exists=False))


def test_an_image_exists_and_fits(rule: Harness) -> None:
    changes = {"image": {"image_id": "ami-00000001"}}

    def image(found: Image | None) -> dict[Any, Any]:
        return {MachineImage("ami-00000001"): found}

    good = Image("ami-00000001", "available", "x86_64", ACCOUNT, "ours")
    path = "image.image_id"
    rule.fails("CW-I014", changes, image(None), path=path, message="this account")
    failed = Image(good.id, "failed", good.architecture, good.owner, good.name)
    rule.fails("CW-I014", changes, image(failed), path=path, message="is failed")
    arm = Image(good.id, good.state, "arm64", good.owner, good.name)
    found = rule.run("CW-I014", changes, image(arm))
    assert [f.path for f in found.findings] == [
        "compute[0].instance_type", "compute[1].instance_type",
    ]  # fmt: skip
    rule.passes("CW-I014", changes, image(good))
    # On EKS our launch template says what the root volume is like.
    workers = {"name": "w", "role": "compute", "instance_type": "p5.48xlarge", "count": 1}
    eks = {**changes, "platform": "eks", "compute": [workers], "slurm": None}
    other = Image(good.id, good.state, "x86_64", ACCOUNT, "ours", "/dev/sda1", 300)
    found = rule.run("CW-I014", eks, image(other))
    assert {f.path for f in found.findings} == {path, "kubernetes.node_volume_gib"}
    fits = Image(good.id, good.state, "x86_64", ACCOUNT, "ours", "/dev/xvda", 200)
    rule.passes("CW-I014", eks, image(fits))
    rule.passes("CW-I014", changes, image(other))
    rule.passes("CW-I014", {}, tested=False)

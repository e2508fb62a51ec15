"""Names that something else has taken: clusters, log groups, aliases, secrets, buckets."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.aws.kms import Key
from clusterwright.aws.s3 import Bucket
from clusterwright.aws.sagemaker import Cluster
from clusterwright.aws.secretsmanager import Secret
from clusterwright.platforms.derived_names import lifecycle_bucket, log_groups
from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.buckets import KeyAlias
from clusterwright.preflight.facts.deployment import (
    BudgetNamed,
    LogGroups,
    NamedSecret,
    OwnStacks,
    Stacks,
)
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from tests.preflight.harness import Harness
from tests.support import specs

HERE = "environment"
ALREADY = "already exists, and none of the stacks of `test` created it"


def stacks(*resources: tuple[str, str], status: str = "CREATE_COMPLETE") -> dict[Any, Any]:
    """This environment's stacks with resources of these types and ids."""
    made = tuple(StackResource(f"R{i}", *one) for i, one in enumerate(resources))
    there = (Stack("test-identity", status, None, False),) if resources else ()
    return {Stacks("test"): OwnStacks(there, made)}


ARN = f"arn:aws:sagemaker:us-east-1:{specs.ACCOUNT}:cluster/abcdefgh1234"


def test_the_clusters_name_is_free_or_ours(rule: Harness) -> None:
    def there(*clusters: Cluster) -> dict[Any, Any]:
        return {HyperPodClusters(): clusters}

    same, other = Cluster("test", ARN, "InService", ()), Cluster("other", ARN, "InService", ())
    rule.fails(
        "CW-E002",
        {},
        {**there(same), **stacks()},
        path=HERE,
        message="a cluster named test already",
    )
    for physical_id in (ARN, "test", "abcdefgh1234"):
        own = stacks(("AWS::SageMaker::Cluster", physical_id))
        rule.passes("CW-E002", {}, {**there(same), **own})
    rule.passes("CW-E002", {}, {**there(other), **stacks()})


def test_log_groups_are_free_or_ours(rule: Harness) -> None:
    def there(*names: str) -> dict[Any, Any]:
        return {LogGroups("/clusterwright/test/"): names}

    name = "/clusterwright/test/flow-logs"
    finding = rule.fails(
        "CW-E003", {}, {**there(name), **stacks()}, path=HERE, message=f"a log group named {name} "
    )
    assert finding.hint is not None
    assert "delete-log-group" in finding.hint
    own = stacks(("AWS::Logs::LogGroup", name))
    rule.passes("CW-E003", {}, {**there(name), **own})
    # Groups of the same prefix that no stack makes are nobody's business.
    rule.passes("CW-E003", {}, {**there(f"{name}-old"), **stacks()})


def test_a_group_of_fsx_is_asked_for_by_itself(rule: Harness) -> None:
    link = {"s3": "s3://acme-corpus", "path": "/data", "import": ["NEW"]}
    changes = {"storage.lustre": [{**specs.LUSTRE, "repositories": [link]}]}
    # A group of the environment `test-2` begins with the same letters.
    facts = {
        LogGroups("/clusterwright/test/"): (),
        LogGroups("/aws/fsx/test"): ("/aws/fsx/test-2",),
    }
    rule.passes("CW-E003", changes, {**facts, **stacks()})
    facts[LogGroups("/aws/fsx/test")] = ("/aws/fsx/test",)
    rule.fails("CW-E003", changes, {**facts, **stacks()}, path=HERE, message="/aws/fsx/test alr")


def test_the_alias_is_free_or_ours(rule: Harness) -> None:
    key = Key("arn:aws:kms:us-east-1:111122223333:key/1", "Enabled", "SYMMETRIC_DEFAULT", "")
    alias = KeyAlias("alias/test")
    finding = rule.fails("CW-E004", {}, {alias: key, **stacks()}, path=HERE, message=ALREADY)
    assert finding.hint is not None
    assert key.arn in finding.hint
    rule.passes("CW-E004", {}, {alias: None, **stacks()})
    rule.passes("CW-E004", {}, {alias: key, **stacks(("AWS::KMS::Alias", "alias/test"))})
    rule.passes("CW-E004", {"identity.kms_key_arn": key.arn}, tested=False)


SCRIPTED = {
    "slurm": {"configuration": "scripted"}, "resilience.node_provisioning": "all-at-once",
}  # fmt: skip


def test_secrets_keep_their_names_while_they_are_deleted(rule: Harness) -> None:
    arn = f"arn:aws:secretsmanager:us-east-1:{specs.ACCOUNT}:secret:test/munge-key-AbCdEf"
    fact = NamedSecret("test/munge-key")
    own = stacks(("AWS::SecretsManager::Secret", arn))
    deleted, there = Secret(arn, True, None), Secret(arn, False, None)
    finding = rule.fails(
        "CW-E005",
        SCRIPTED,
        {fact: deleted, **stacks()},
        path=HERE,
        message="scheduled for deletion and keeps its name",
    )
    assert finding.hint is not None
    assert "--force-delete-without-recovery" in finding.hint
    rule.fails("CW-E005", SCRIPTED, {fact: there, **stacks()}, path=HERE, message=ALREADY)
    rule.passes("CW-E005", SCRIPTED, {fact: there, **own})
    rule.passes("CW-E005", SCRIPTED, {fact: None, **stacks()})
    rule.passes("CW-E005", {}, tested=False)


def test_the_budget_is_free_or_ours(rule: Harness) -> None:
    changes = {"budget": {"monthly_usd": 10, "alert_emails": ["a@acme.example"]}}
    fact = BudgetNamed(specs.ACCOUNT, "test-monthly")
    rule.fails("CW-E006", changes, {fact: True, **stacks()}, path=HERE, message=ALREADY)
    rule.passes("CW-E006", changes, {fact: False, **stacks()})
    own = stacks(("AWS::Budgets::Budget", "test-monthly"))
    rule.passes("CW-E006", changes, {fact: True, **own})
    rule.passes("CW-E006", {"budget": {"run_usd": 10}}, tested=False)


@pytest.mark.parametrize(
    ("status", "protected", "severity"),
    [
        ("UPDATE_ROLLBACK_FAILED", False, "error"),
        ("DELETE_FAILED", False, "error"),
        ("ROLLBACK_COMPLETE", True, "error"),
        ("UPDATE_IN_PROGRESS", False, "warning"),
        ("CREATE_COMPLETE", True, None),
        ("UPDATE_ROLLBACK_COMPLETE", True, None),
        ("ROLLBACK_COMPLETE", False, None),
        ("REVIEW_IN_PROGRESS", False, None),
    ],
)
def test_stacks_that_are_stuck(
    rule: Harness, status: str, protected: bool, severity: str | None
) -> None:
    facts = {Stacks("test"): OwnStacks((Stack("test-storage", status, "why", protected),), ())}
    if severity is None:
        rule.passes("CW-E007", {}, facts)
    else:
        rule.fails("CW-E007", {}, facts, path=HERE, message=status, severity=severity)


def test_new_buckets_need_names_of_their_own(rule: Harness) -> None:
    changes = {"storage.buckets": [{"name": "acme-results", "create": True}]}
    cluster = specs.load(rule.folder).cluster
    scripts = storage.Bucket(lifecycle_bucket(cluster))
    results = storage.Bucket("acme-results")
    there = Bucket("acme-results", "us-east-1")
    facts = {scripts: None, results: there, **stacks()}
    finding = rule.fails(
        "CW-S028",
        changes,
        facts,
        path="storage.buckets[0].name",
        message="the bucket acme-results already",
    )
    assert finding.hint == "create: false uses the existing bucket; otherwise use another name"
    rule.passes("CW-S028", changes, {**facts, results: None})
    own = stacks(("AWS::S3::Bucket", "acme-results"))
    rule.passes("CW-S028", changes, {**facts, **own})
    rule.fails("CW-S028", {}, {**facts, scripts: there}, path=HERE, message="already exists")


def test_directory_buckets_are_asked_for_by_their_whole_name(rule: Harness) -> None:
    changes = {"storage.buckets": [{"name": "fast", "create": True, "directory": True}]}
    cluster = specs.load(rule.folder).cluster
    facts = {storage.Bucket(lifecycle_bucket(cluster)): None, **stacks()}
    whole = "fast--use1-az6--x-s3"
    facts[storage.Bucket(whole)] = Bucket(whole, "us-east-1")
    path = "storage.buckets[0].name"
    rule.fails("CW-S028", changes, facts, path=path, message=whole)
    rule.passes(
        "CW-S028", changes, {**facts, **stacks(("AWS::S3Express::DirectoryBucket", whole))}
    )


def test_every_group_is_asked_for(rule: Harness) -> None:
    cluster = specs.load(rule.folder).cluster
    names = [name for name, _ in log_groups(cluster)]
    assert all(name.startswith("/clusterwright/test/") for name in names)
    facts = {LogGroups("/clusterwright/test/"): tuple(names), **stacks()}
    found = rule.run("CW-E003", {}, facts)
    assert len(found.findings) == len(names)

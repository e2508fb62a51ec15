"""Names of the stacks and their resources, known before the deployment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms import derived_names
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.stack_names import PARTS, part_of, stack_name
from stacks.base.cluster_stack import ClusterStack
from tests.stacks.templates import properties
from tests.support import specs
from tests.support.rich_specs import SPECS
from tests.support.synthesis import Assembly, Build


def cluster_of(name: str, folder: Path) -> Cluster:
    return load_cluster(specs.write(folder / "spec.yaml", SPECS[name])).cluster


def named(assembly: Assembly, kind: str, *keys: str) -> set[str]:
    found = set()
    for found_properties in properties(assembly, kind):
        value = found_properties
        for key in keys:
            value = value.get(key, {})
        if isinstance(value, str):
            found.add(value)
    return found


@pytest.mark.parametrize("name", SPECS)
def test_derived_names_match_the_templates(name: str, tmp_path: Path, build: Build) -> None:
    cluster, assembly = cluster_of(name, tmp_path), build(SPECS[name])

    def one(known: str | None) -> set[str]:
        return set() if known is None else {known}

    assert {stack_name(cluster.environment, part) for part in PARTS} >= set(assembly.templates)
    buckets = named(assembly, "AWS::S3::Bucket", "BucketName")
    buckets |= named(assembly, "AWS::S3Express::DirectoryBucket", "BucketName")
    assert buckets == set(derived_names.built_buckets(cluster))
    repositories = named(assembly, "AWS::ECR::Repository", "RepositoryName")
    assert repositories == set(derived_names.built_image_repositories(cluster))
    groups = {group for group, _ in derived_names.log_groups(cluster)}
    assert named(assembly, "AWS::Logs::LogGroup", "LogGroupName") == groups
    alias = named(assembly, "AWS::KMS::Alias", "AliasName")
    assert alias == one(derived_names.key_alias(cluster))
    secrets = named(assembly, "AWS::SecretsManager::Secret", "Name")
    assert secrets == set(derived_names.secrets(cluster))
    budgets = named(assembly, "AWS::Budgets::Budget", "Budget", "BudgetName")
    assert budgets == one(derived_names.monthly_budget(cluster))
    databases = named(assembly, "AWS::RDS::DBInstance", "DBInstanceIdentifier")
    assert databases == one(derived_names.database(cluster))


@pytest.mark.parametrize("name", SPECS)
def test_log_groups_with_the_key_are_known(name: str, tmp_path: Path, build: Build) -> None:
    encrypted = {
        group["LogGroupName"]
        for group in properties(build(SPECS[name]), "AWS::Logs::LogGroup")
        if "KmsKeyId" in group
    }
    known = derived_names.log_groups(cluster_of(name, tmp_path))
    assert encrypted == {group for group, has_key in known if has_key}


def test_every_stack_part_is_known() -> None:
    assert {one.NAME_SUFFIX for one in _below(ClusterStack)} <= set(PARTS)


@pytest.mark.parametrize(
    ("stack", "part"),
    [
        ("prod-storage", "storage"),
        ("prod-eu-storage", None),
        ("production-storage", None),
        ("storage", None),
        ("prod-", None),
        ("prod-other", None),
    ],
)
def test_stack_belongs_to_its_environment(stack: str, part: str | None) -> None:
    assert part_of("prod", stack) == part


def _below(kind: type[ClusterStack]) -> Iterator[type[ClusterStack]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)

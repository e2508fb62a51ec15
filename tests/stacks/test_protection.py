"""`retain`: stateful stacks refuse deletion, their resources are kept.

`destroy`: nothing is left.
"""

from __future__ import annotations

import json

from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Assembly, Build

RETAIN = changed(FULL, protection="retain")

DESTROY = changed(FULL, protection="destroy")

# Stateful resources, and those that cannot be deleted before them.
STATEFUL_TYPES = {
    "AWS::APS::Workspace",
    "AWS::ECR::Repository",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
    "AWS::KMS::Key",
    "AWS::RDS::DBInstance",
    "AWS::RDS::DBParameterGroup",
    "AWS::RDS::DBSubnetGroup",
    "AWS::S3Express::DirectoryBucket",
    "AWS::SecretsManager::Secret",
    "AWS::SecretsManager::SecretTargetAttachment",
}

STATEFUL_STACKS = {"test-accounting", "test-identity", "test-storage"}


def stateful(assembly: Assembly) -> dict[str, dict[str, object]]:
    found = {}
    for kind in STATEFUL_TYPES:
        found |= assembly.resources(kind)
    for kind in ("AWS::S3::Bucket", "AWS::S3::BucketPolicy"):
        for name, resource in assembly.resources(kind).items():
            if name.startswith("test-storage/"):
                found[name] = resource
    return found


def protected(assembly: Assembly) -> set[str]:
    artifacts = json.loads((assembly.directory / "manifest.json").read_text())["artifacts"]
    return {
        name
        for name, artifact in artifacts.items()
        if artifact.get("properties", {}).get("terminationProtection")
    }


def test_default_is_retain(build: Build) -> None:
    assert protected(build(MINIMAL)) == {"test-identity"}


def test_retain_protects_only_stateful_stacks(build: Build) -> None:
    assert protected(build(RETAIN)) == STATEFUL_STACKS


def test_retain_keeps_every_stateful_resource(build: Build) -> None:
    found = stateful(build(RETAIN))
    assert len(found) >= len(STATEFUL_TYPES)
    for name, resource in found.items():
        # A failed creation leaves nothing that would block the next one.
        assert resource["DeletionPolicy"] == "RetainExceptOnCreate", name
        assert resource["UpdateReplacePolicy"] == "Retain", name


def test_retain_protects_the_database_and_its_backups(build: Build) -> None:
    (instance,) = build(RETAIN).resources("AWS::RDS::DBInstance").values()
    assert instance["Properties"]["DeletionProtection"] is True
    assert instance["Properties"]["DeleteAutomatedBackups"] is False


def test_destroy_protects_nothing(build: Build) -> None:
    assembly = build(DESTROY)
    assert protected(assembly) == set()
    for stack, template in assembly.templates.items():
        for name, resource in template["Resources"].items():
            # Without a policy RDS creates a snapshot that is kept.
            assert resource.get("DeletionPolicy", "Delete") == "Delete", f"{stack}/{name}"
    for name, resource in stateful(assembly).items():
        assert resource.get("DeletionPolicy") == "Delete", name


def test_destroy_deletes_the_database_with_its_backups(build: Build) -> None:
    (instance,) = build(DESTROY).resources("AWS::RDS::DBInstance").values()
    assert instance["Properties"]["DeletionProtection"] is False
    assert instance["Properties"]["DeleteAutomatedBackups"] is True


def test_destroy_schedules_the_minimum_key_deletion_period(build: Build) -> None:
    (key,) = build(DESTROY).resources("AWS::KMS::Key").values()
    assert key["Properties"]["PendingWindowInDays"] == 7


def test_stateful_resources_are_in_separate_stacks(build: Build) -> None:
    for name in stateful(build(RETAIN)):
        stack = name.split("/")[0]
        # Metrics are kept, but a workspace alone does not justify termination protection.
        assert stack in STATEFUL_STACKS or "Prometheus" in name

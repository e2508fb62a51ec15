"""The bucket of the scripts, and the upload into it."""

from __future__ import annotations

from typing import Any

from tests.stacks.templates import only
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build


def test_bucket_has_the_prefix_that_hyperpod_requires(build: Build) -> None:
    name = only(build(MINIMAL), "AWS::S3::Bucket")["BucketName"]
    assert name.startswith("sagemaker-test-")
    assert len(name) <= 63


def test_longest_environment_has_a_valid_bucket_name(build: Build) -> None:
    assembly = build(changed(MINIMAL, environment="e" * 40))
    assert len(only(assembly, "AWS::S3::Bucket")["BucketName"]) <= 63


def test_former_prefixes_are_kept_for_a_rollback(build: Build) -> None:
    copy = only(build(MINIMAL), "Custom::CDKBucketDeployment")
    assert copy["RetainOnDelete"] is True
    assert copy["Prune"] is False


def test_function_log_groups_have_a_retention_and_are_deleted(build: Build) -> None:
    """Lambda would make groups of its own, without an end, and nothing would remove them."""
    assembly = build(changed(FULL, protection="destroy"))
    functions = assembly.resources("AWS::Lambda::Function")
    assert len(functions) == 4
    for name, function in functions.items():
        group = function["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]
        stack = name.split("/")[0]
        resource: dict[str, Any] = assembly.templates[stack]["Resources"][group]
        assert resource["Type"] == "AWS::Logs::LogGroup"
        assert resource["DeletionPolicy"] == "Delete"
        assert resource["Properties"]["RetentionInDays"] == 30

"""Repositories of a template."""

from __future__ import annotations

import json

import pytest

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ecr.cfn import Repository, _scanning
from packages.localaws.tests.handlers import allow, context, tags
from packages.localaws.tests.parts import client, refusal


def test_a_repository_is_created_changed_and_deleted(aws: Runtime) -> None:
    ecr = client("ecr")
    policy = allow("ecr:*", Principal="*")
    del policy["Statement"][0]["Resource"]
    before = {
        "ImageTagMutability": "IMMUTABLE",
        "ImageScanningConfiguration": {"ScanOnPush": "true"},
        "EncryptionConfiguration": {"EncryptionType": "AES256"},
        "Tags": tags(a="1"),
    }
    created = Repository().create(context(), before)
    name = created.physical_id
    assert name == "stack-thing-abcdefghijkl"
    assert created.attributes["RepositoryUri"].endswith(f".amazonaws.com/{name}")

    def found() -> dict[str, object]:
        (repository,) = ecr.describe_repositories(repositoryNames=[name])["repositories"]
        return dict(repository)

    assert found()["imageTagMutability"] == "IMMUTABLE"
    assert found()["imageScanningConfiguration"] == {"scanOnPush": True}
    after = {"RepositoryPolicyText": policy, "Tags": tags(b="2")}
    Repository().update(context(), name, before, after)
    assert found()["imageTagMutability"] == "MUTABLE"
    assert found()["imageScanningConfiguration"] == {"scanOnPush": False}
    assert json.loads(ecr.get_repository_policy(repositoryName=name)["policyText"]) == policy
    arn = created.attributes["Arn"]
    assert ecr.list_tags_for_resource(resourceArn=arn)["tags"] == tags(b="2")
    Repository().delete(context(), name, after)
    code, _ = refusal(ecr.describe_repositories, repositoryNames=[name])
    assert code == "RepositoryNotFoundException"


@pytest.mark.parametrize(("value", "expected"), [("TRUE", True), (True, True), ("no", False)])
def test_scanning_is_text_or_a_boolean(value: object, expected: bool) -> None:
    properties = {"ImageScanningConfiguration": {"ScanOnPush": value}}
    assert _scanning(properties) == {"scanOnPush": expected}

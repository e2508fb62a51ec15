"""The examples that use as many keys as possible are deployed and destroyed by the CDK CLI.

Resources that the examples name as existing are created first. Keys and images have other ids in
the local AWS, so these are replaced in a copy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.registry import PLATFORMS
from tests.support.cdk_life import Life, life
from tests.support.synthesis import ROOT

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

IMAGES = "/aws/service/eks/optimized-ami"
ZONE = {"zone_id": "use1-az6"}
ACTIVE = {**ZONE, "state": "active"}
WORLD: dict[str, Any] = {
    "quota_policy": "ample",
    "buckets": [
        {"name": "acme-corpus", "account": "999988887777"},
        {"name": "acme-datasets", "account": "999988887777"},
    ],
    "capacity_reservations": [
        {
            "id": "cr-0a1b2c3d4e5f60718",
            "instance_type": "p5.48xlarge",
            "instance_count": 16,
            "kind": "capacity-block",
            "end": "+60d",
            **ACTIVE,
        },
        {
            "id": "cr-0f1e2d3c4b5a69788",
            "instance_type": "p5.48xlarge",
            "instance_count": 2,
            **ACTIVE,
        },
        {
            "id": "cr-0c1d2e3f4a5b69787",
            "instance_type": "p5.48xlarge",
            "instance_count": 2,
            "interruptible": True,
            **ACTIVE,
        },
        {
            "id": "cr-0f1e2d3c4b5a6978a",
            "instance_type": "g6e.48xlarge",
            "instance_count": 2,
            **ACTIVE,
        },
    ],
    "training_plans": [
        {
            "name": f"full-{platform}{suffix}",
            "instance_type": instance_type,
            "instance_count": count,
            "end": "+60d",
            **ZONE,
        }
        for platform in ("hyperpod-slurm", "hyperpod-eks")
        for suffix, instance_type, count in (("", "p5.48xlarge", 8), ("-small", "p5.4xlarge", 2))
    ],
}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A served account with the resources that the examples name."""
    folder = tmp_path_factory.mktemp("full")
    world = folder / "world.yaml"
    world.write_text(json.dumps(WORLD), encoding="utf-8")
    with life(folder, world) as found:
        iam = found.client("iam")
        iam.create_policy(
            PolicyName="clusterwright-boundary",
            PolicyDocument=_document({"Effect": "Allow", "Action": "*", "Resource": "*"}),
        )
        for name, service in (("researchers", "ec2"), ("data-loader", "pods.eks")):
            trusted = {"Service": f"{service}.amazonaws.com"}
            actions = ["sts:AssumeRole", "sts:TagSession"]
            trust = {"Effect": "Allow", "Principal": trusted, "Action": actions}
            iam.create_role(RoleName=name, AssumeRolePolicyDocument=_document(trust))
        found.client("ec2").create_key_pair(KeyName="ml-infrastructure", KeyType="ed25519")
        yield found


@pytest.mark.parametrize("platform", PLATFORMS)
def test_full_example_is_deployed_and_destroyed(aws: Life, platform: str) -> None:
    name = f"full-{platform}"
    app = aws.synth(_with_ids_of(aws, name), name)
    aws.deploy(app, "--all", "--concurrency", "4")
    assert set(aws.stacks().values()) == {"CREATE_COMPLETE"}
    assert f"{name}-cluster" in aws.stacks()
    aws.cdk("destroy", "--all", "--force", *app)
    assert set(aws.stacks()) == {"CDKToolkit"}


def _with_ids_of(aws: Life, name: str) -> Path:
    """A copy of the example with the key and an image of this account."""
    anyone = {"Effect": "Allow", "Principal": "*", "Action": "kms:*", "Resource": "*"}
    key = aws.client("kms").create_key(Policy=_document(anyone))["KeyMetadata"]["Arn"]
    parameter = f"{IMAGES}/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"
    image = aws.client("ssm").get_parameter(Name=parameter)["Parameter"]["Value"]
    text = (ROOT / "configs" / "examples" / f"{name}.yaml").read_text(encoding="utf-8")
    text = re.sub(r"(kms_key_arn: )\S+", rf"\g<1>{key}", text)
    text = re.sub(r"(image_id: )\S+", rf"\g<1>{image}", text)
    path = aws.folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def _document(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})

"""The real CDK CLI where IAM is enforced: bootstrap roles, and an execution policy that is too
narrow.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from packages.localaws.tests.cdk_cli import ACCOUNT, REGION, Cli
from packages.localaws.tests.iam.conftest import allow, document

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]


@dataclass
class UserCli(Cli):
    """The CLI with a user's key in place of the account's."""

    key: str = ACCOUNT
    secret: str = "local"

    def environment(self) -> dict[str, str]:
        own = {"AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret}
        return super().environment() | own


@pytest.fixture
def cdk(tmp_path: Path) -> Iterator[UserCli]:
    (tmp_path / "home").mkdir()
    world = tmp_path / "world.yaml"
    world.write_text("extends: generous\niam: enforced\n")
    errors = (tmp_path / "server.err").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "clusterwright", "localaws", "--port", "0", "--world", str(world)],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )
    assert process.stdout is not None
    try:
        ready, _, address = process.stdout.readline().strip().partition(" ")
        assert ready == "ready", (tmp_path / "server.err").read_text()
        yield UserCli(tmp_path, address)
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()
        errors.close()


def test_developer_with_the_permissions_of_the_execution_role_can_deploy(cdk: UserCli) -> None:
    iam = cdk.client("iam")
    narrow = iam.create_policy(
        PolicyName="Narrow", PolicyDocument=document(allow(["kms:*", "ssm:GetParameters"]))
    )["Policy"]["Arn"]
    iam.create_user(UserName="dev")
    iam.put_user_policy(
        UserName="dev",
        PolicyName="deploy",
        PolicyDocument=document(allow("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/cdk-*")),
    )
    cdk("bootstrap", f"aws://{ACCOUNT}/{REGION}", "--cloudformation-execution-policies", narrow)
    key = iam.create_access_key(UserName="dev")["AccessKey"]
    cdk.key, cdk.secret = key["AccessKeyId"], key["SecretAccessKey"]

    out = str(cdk.folder / "cdk.out")
    cdk.deploy("small-encryption", "--output", out)
    assert cdk.stacks()["small-encryption"]["StackStatus"] == "CREATE_COMPLETE"
    printed = cdk.deploy("small-network", "--app", out, succeeds=False)
    assert cdk.stacks()["small-network"]["StackStatus"] == "ROLLBACK_COMPLETE"
    session = f"cdk-hnb659fds-cfn-exec-role-{ACCOUNT}-{REGION}/AWSCloudFormation"
    assert (
        f"assumed-role/{session} is not authorized to perform: ec2:CreateVpc on resource: "
        f"arn:aws:ec2:{REGION}:{ACCOUNT}:vpc/* because no identity-based policy allows the "
        "ec2:CreateVpc action"
    ) in " ".join(printed.split())

"""CDK CLI commands beyond those of packages/localaws/tests/test_cdk_cli.py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.programs import ACCOUNT, REGION, Done, Server

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

APP = """\
import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_logs as logs

app = cdk.App()
stack = cdk.Stack(app, "cdk-logs", termination_protection=bool(app.node.try_get_context("keep")))
for name in ("A", "B"):
    logs.CfnLogGroup(
        stack,
        name,
        log_group_name=f"cdk-{name}",
        retention_in_days=int(app.node.try_get_context(name) or 30),
    )
if app.node.try_get_context("broken"):
    ec2.CfnCapacityReservation(
        stack,
        "Broken",
        availability_zone="us-east-1a",
        instance_type="m5.large",
        instance_platform="Linux/UNIX",
        instance_count=0,
    )
app.synth()
"""


class Cdk(NamedTuple):
    server: Server
    folder: Path

    def __call__(self, *words: str, code: int = 0) -> Done:
        return self.server.run(
            *("cdk", *words),
            code=code,
            cwd=self.folder,
            CDK_DISABLE_CLI_TELEMETRY="true",
            CDK_VALIDATION="false",
            JSII_RUNTIME_PACKAGE_CACHE_ROOT=os.fspath(
                Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
            ),
        )

    def synth(self, name: str, *context: str) -> tuple[str, str]:
        words = [word for item in context for word in ("--context", item)]
        self("synth", "--quiet", "--app", "python app.py", "--output", name, *words)
        return ("--app", name)

    def deploy(self, app: tuple[str, str], *words: str, code: int = 0) -> Done:
        return self("deploy", "cdk-logs", *app, "--require-approval", "never", *words, code=code)


@pytest.fixture(scope="module")
def cdk(aws: Server, tmp_path_factory: pytest.TempPathFactory) -> Cdk:
    folder = tmp_path_factory.mktemp("cdk")
    (folder / "app.py").write_text(APP)
    found = Cdk(aws, folder)
    found("bootstrap", f"aws://{ACCOUNT}/{REGION}")
    return found


def test_stack_is_deployed_changed_and_destroyed(cdk: Cdk) -> None:
    """`bootstrap`, `deploy`, `diff`, `rollback` after a failure with `--no-rollback`, `drift` of a
    change by hand, `--method=direct`, termination protection on and off, and `destroy`; a separate
    test has seven stacks that use each other (packages/localaws/tests/test_cdk_cli.py).
    """
    logs, cloudformation = cdk.server.client("logs"), cdk.server.client("cloudformation")

    def stack() -> dict[str, object]:
        found: dict[str, object] = cloudformation.describe_stacks(StackName="cdk-logs")["Stacks"][
            0
        ]
        return found

    first = cdk.synth("first")
    cdk.deploy(first)
    kept = cdk.synth("kept", "keep=1")
    cdk.deploy(kept, "--method=direct")
    assert stack()["EnableTerminationProtection"] is True
    refused = cdk("destroy", "cdk-logs", "--force", *kept, code=1)
    assert "cannot be deleted while TerminationProtection is enabled" in refused.said

    broken = cdk.synth("broken", "A=7", "broken=1")
    cdk.deploy(broken, "--no-rollback", code=1)
    assert stack()["StackStatus"] == "UPDATE_FAILED"
    cdk("rollback", "cdk-logs", *first)
    assert stack()["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"

    logs.put_retention_policy(logGroupName="cdk-A", retentionInDays=3)
    drifted = cdk("drift", "cdk-logs", *first).said
    assert "[~] AWS::Logs::LogGroup A" in drifted
    assert drifted.count("[~] AWS::") == 1
    changed = cdk.synth("changed", "A=14")
    assert "RetentionInDays" in cdk("diff", "cdk-logs", *changed).said
    cdk.deploy(changed)
    assert stack()["EnableTerminationProtection"] is False
    cdk("destroy", "cdk-logs", "--force", *changed)
    assert logs.describe_log_groups(logGroupNamePrefix="cdk-")["logGroups"] == []

"""The CDK command line against a local AWS."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

APP = Path(__file__).parent / "fixtures" / "small_app"


ACCOUNT = "111122223333"


REGION = "us-east-1"


# The limit on a busy machine; alone, each step takes seconds.
STEP_LIMIT_S = 300


@dataclass
class Cli:
    """The pinned CDK CLI with assemblies in the test's folder, and boto3 clients."""

    folder: Path
    address: str

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "AWS_ACCESS_KEY_ID": ACCOUNT,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": self.address,
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            # The CDK's template validation takes seconds, and CloudFormation's validation is
            # tested.
            "CDK_VALIDATION": "false",
            # The CLI caches accounts by key in the home folder, and jsii its unpacked libraries.
            "HOME": str(self.folder / "home"),
            "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(
                Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
            ),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def __call__(self, *words: str, succeeds: bool = True) -> str:
        """Run a command of the CLI; returns everything it printed."""
        start = time.monotonic()
        done = subprocess.run(
            ["cdk", *words],
            cwd=APP,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=STEP_LIMIT_S,
            check=False,
        )
        print(f"{time.monotonic() - start:6.1f} s: cdk {' '.join(words)}")
        assert (done.returncode == 0) is succeeds, done.stdout
        return done.stdout

    def synth(self, name: str, *words: str) -> tuple[str, str]:
        """Synthesise the app with other settings; return the arguments that select the
        assembly.
        """
        folder = str(self.folder / name)
        self("synth", "--quiet", "--output", folder, *words)
        return ("--app", folder)

    def deploy(self, *words: str, succeeds: bool = True) -> str:
        return self("deploy", *words, "--require-approval", "never", succeeds=succeeds)

    def client(self, service: str) -> Any:
        return boto3.client(
            service,
            REGION,
            endpoint_url=self.address,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key="testing",
        )

    def stacks(self) -> dict[str, dict[str, Any]]:
        found = self.client("cloudformation").describe_stacks()["Stacks"]
        return {item["StackName"]: item for item in found}

    def physical(self, stack: str, kind: str) -> list[str]:
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        return [
            summary["PhysicalResourceId"]
            for page in pages.paginate(StackName=stack)
            for summary in page["StackResourceSummaries"]
            if summary["ResourceType"] == kind
        ]

"""Deployment of a configuration with the real CDK CLI: deploy, change, diff, deploy, destroy.

One served local AWS per use. The CLI synthesises the assembly from `app.py`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from tests.support.synthesis import ROOT

ACCOUNT, REGION = "111122223333", "us-east-1"
STEP_LIMIT_S = 600
"""Allowance for a busy machine; alone, each step takes seconds."""


@dataclass(frozen=True)
class Life:
    """The CLI in the repository, and a server."""

    folder: Path
    address: str

    def cdk(self, *words: str, succeeds: bool = True) -> str:
        """Run a command of the CLI; return everything it printed."""
        done = subprocess.run(
            ["cdk", *words],
            cwd=ROOT,
            env={
                **os.environ,
                "AWS_ACCESS_KEY_ID": ACCOUNT,
                "AWS_SECRET_ACCESS_KEY": "testing",
                "AWS_REGION": REGION,
                "AWS_ENDPOINT_URL": self.address,
                "CDK_DISABLE_CLI_TELEMETRY": "true",
                # Both have their own tests, with every configuration.
                "CDK_VALIDATION": "false",
                "CLUSTERWRIGHT_NAG": "false",
                "HOME": str(self.folder / "home"),
                "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(
                    Path.home() / ".cache" / "aws" / "jsii" / "package-cache"
                ),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=STEP_LIMIT_S,
            check=False,
        )
        assert (done.returncode == 0) is succeeds, done.stdout
        return done.stdout

    def bootstrap(self) -> None:
        self.cdk("bootstrap", f"aws://{ACCOUNT}/{REGION}", "--app", "")

    def synth(self, config: str | Path, name: str) -> tuple[str, str]:
        """Synthesise a configuration once; return the arguments that name the assembly."""
        out = str(self.folder / name)
        self.cdk("synth", "--quiet", "-c", f"config={config}", "--output", out)
        return ("--app", out)

    def deploy(self, app: tuple[str, str], *words: str, succeeds: bool = True) -> str:
        names = words or ("--all",)
        return self.cdk("deploy", *names, *app, "--require-approval", "never", succeeds=succeeds)

    def client(self, service: str) -> Any:
        return boto3.client(
            service,
            REGION,
            endpoint_url=self.address,
            aws_access_key_id=ACCOUNT,
            aws_secret_access_key="testing",
        )

    def stacks(self) -> dict[str, str]:
        found = self.client("cloudformation").describe_stacks()["Stacks"]
        return {one["StackName"]: one["StackStatus"] for one in found}


@contextlib.contextmanager
def life(folder: Path, world: str | Path = "generous") -> Iterator[Life]:
    """A served local AWS in `folder`, bootstrapped."""
    (folder / "home").mkdir()
    with (folder / "server.err").open("w") as errors:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "clusterwright", "localaws"),
                *("--port", "0", "--world", str(world)),
            ],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    try:
        ready, _, address = process.stdout.readline().strip().partition(" ")
        assert ready == "ready", (folder / "server.err").read_text()
        found = Life(folder, address)
        found.bootstrap()
        yield found
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()

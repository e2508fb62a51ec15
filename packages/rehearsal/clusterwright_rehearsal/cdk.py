"""Runs the real `cdk` command line against the local AWS."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clusterwright import files
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.registry import Registry

CHECKOUT = Path(__file__).resolve().parents[3]
VALIDATION = "CDK_VALIDATION"
"""`false` disables the CDK's own validation of templates, as in any other synthesis."""

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Cdk:
    """Synthesis and deployment of a spec. All output goes to cdk.log in the run's folder.

    Methods raise `DeploymentFailed`.
    """

    def __init__(self, url: str, account: str, region: str, folder: Path) -> None:
        self._folder = folder
        self._registry = Registry(folder)
        self._assemblies: dict[bytes, Path] = {}
        self.url, self.account, self.region = url, account, region
        self.log = folder / "cdk.log"
        programs = Path(sys.executable).parent
        self._environment = {
            k: v
            for k, v in os.environ.items()
            if k == VALIDATION or not k.startswith(("AWS_", "CDK_"))
        } | {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": account,
            "AWS_SECRET_ACCESS_KEY": "rehearsal",
            "AWS_DEFAULT_REGION": region,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "NO_COLOR": "1",
        }
        found = shutil.which("cdk", path=self._environment["PATH"])
        if found is None or not (CHECKOUT / "app.py").exists():
            raise RehearsalError(
                "a rehearsal deploys with the CDK, but "
                + ("cdk is not installed" if found is None else "there is no app.py here"),
                "run it from a checkout after `make setup`",
            )
        self._program = found

    def bootstrap(self) -> None:
        """Run `cdk bootstrap`, in an empty folder because it needs no app."""
        empty = self._folder / "bootstrap"
        empty.mkdir(exist_ok=True)
        self._run(["bootstrap", f"aws://{self.account}/{self.region}"], empty)

    def synthesise(self, config: Path) -> Path:
        """Synthesise a spec; return the folder of its cloud assembly.

        A spec with the same contents as an earlier one has the same assembly: scenarios that
        revert a change deploy what was there before.
        """
        spec = files.read_bytes(config)
        if spec in self._assemblies:
            return self._assemblies[spec]
        output = self._folder / f"cdk.out.{time.monotonic_ns()}"
        self._run(
            ["synth", "--quiet", "-c", f"config={config}", "--output", str(output)], CHECKOUT
        )
        self._assemblies[spec] = output
        return output

    def deploy(self, assembly: Path, *stacks: str) -> dict[str, Any]:
        """Run `cdk deploy` with several stacks in parallel; return the outputs by stack.

        Without names all stacks are deployed, else the named ones and their dependencies.
        """
        outputs = self._folder / "outputs.json"
        self._run(
            [
                *("deploy", *(stacks or ["--all"]), "--app", str(assembly)),
                *("--require-approval", "never", "--concurrency", "8"),
                *("--outputs-file", str(outputs), "--no-version-reporting"),
            ],
            CHECKOUT,
        )
        found: dict[str, Any] = json.loads(outputs.read_text())
        return found

    def _run(self, words: Sequence[str], folder: Path) -> None:
        with self.log.open("a") as log:
            log.write(f"\n$ cdk {' '.join(words)}\n")
            log.flush()
            started = self.log.stat().st_size
            process = subprocess.Popen(
                [self._program, *words],
                cwd=folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            # It continues if this process is killed: the clean-up of the run ends it.
            self._registry.add_process(process.pid, f"cdk {words[0]}")
            with process:
                try:
                    code = process.wait()
                except BaseException:
                    process.kill()
                    raise
        if code != 0:
            text = _ANSI.sub("", self.log.read_text(errors="replace")[started:])
            raise DeploymentFailed(words[0], text)


class DeploymentFailed(RehearsalError):
    """`cdk` did not exit with 0; the message contains the failed resource."""

    def __init__(self, command: str, output: str) -> None:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        # CloudFormation's event of the resource; the CLI repeats it in other forms.
        cause = (
            [line for line in lines if re.search(r"(CREATE|UPDATE)_FAILED", line)][:1]
            or [
                line
                for line in lines
                if re.search(r"CREATE_FAILED|UPDATE_FAILED|❌|[Ee]rror", line)
            ]
            or lines
        )
        super().__init__(f"cdk {command} failed: {' / '.join(cause[:4])[:1500]}")

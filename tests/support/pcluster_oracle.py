"""aws-parallelcluster as validator of rendered configurations: one process for all."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.setup import clients
from tools.setup.paths import BIN

_INSIDE = Path(__file__).with_name("pcluster_inside.py")


class OracleEnded(AssertionError):
    """The process ended instead of answering; the text is its output."""


@dataclass
class Oracle:
    """A client of the process. Configurations are plain data with ParallelCluster's key names."""

    process: subprocess.Popen[str]
    said: Path

    def schema(self, configuration: Mapping[str, Any], name: str = "train") -> str:
        """Return the errors of the schema, or an empty text."""
        return str(self._ask("schema", configuration, name)["errors"])

    def validators(
        self, configuration: Mapping[str, Any], name: str = "train"
    ) -> list[dict[str, str]]:
        """Return the results of the validators.

        `level`, `type`, `message`. They call the AWS of the process.
        """
        found: list[dict[str, str]] = self._ask("validators", configuration, name)["messages"]
        return found

    def templates(
        self, configuration: Mapping[str, Any], name: str = "train"
    ) -> list[dict[str, Any]]:
        """Return the templates that it would deploy."""
        found: list[dict[str, Any]] = self._ask("templates", configuration, name)["templates"]
        return found

    def patch(
        self,
        base: Mapping[str, Any],
        configuration: Mapping[str, Any],
        *,
        fleet_runs: bool = True,
        login_nodes_run: Sequence[str] = (),
    ) -> dict[str, Any]:
        """What its check of an update says: `allowed`, and `rows` of changes.

        `login_nodes_run` are the pools that have login nodes.
        """
        return self._ask(
            "patch",
            configuration,
            "train",
            base=base,
            fleet_runs=fleet_runs,
            login_nodes_run=list(login_nodes_run),
        )

    def policies(self) -> dict[str, str]:
        """Every key of its schema, with its update policy."""
        found: dict[str, str] = self._ask("policies", {}, "train")["policies"]
        return found

    def limits(self) -> dict[str, Any]:
        """Its numbers and lists: `regions`, and constants by name."""
        return self._ask("limits", {}, "train")

    def _ask(
        self, what: str, configuration: Mapping[str, Any], name: str, **more: Any
    ) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"ask": what, "name": name, "configuration": configuration, **more}
        try:
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise OracleEnded(self.said.read_text(encoding="utf-8")[-4000:])
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def oracle(home: Path, environment: Mapping[str, str] | None = None) -> Iterator[Oracle]:
    """Run the validator inside the block; build its environment if it does not exist.

    Without an `environment` that names a local AWS it can only be asked of schemas and patches.
    """
    clients.bring_up_to_date(["pcluster"])
    python = clients.program("pcluster").with_name("python")
    found = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "HOME": os.fspath(home),
        **(environment or {}),
    }
    # Its CDK runs on Node, and prints a long warning about the version.
    found["PATH"] = f"{BIN}{os.pathsep}{found.get('PATH', '')}"
    found["JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION"] = "1"
    said = home / "oracle.err"
    with said.open("w") as errors:
        process = subprocess.Popen(
            # -I: the program's folder contains modules with the names of the package's own.
            [python, "-I", _INSIDE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=found,
            cwd=home,
            text=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Oracle(process, said)
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()

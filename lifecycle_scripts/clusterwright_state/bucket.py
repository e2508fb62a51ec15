"""Objects of the cluster's bucket, through the image's AWS CLI and the node's role."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Optional

from clusterwright_common.probe import Probe

_TIMEOUT_SECONDS = 60.0
_DOWNLOAD_SECONDS = 150.0
"""For a record of about 15 KB of each of some thousand nodes, ten at a time."""
LARGEST_REQUEST_BYTES = 1024 * 1024
"""Of a request to accept with waivers of many nodes (`clusterwright/cluster_state/requests.py` has
the same limit).
"""


class BucketError(Exception):
    """A call failed; the message is the last line that the AWS CLI printed."""


class Bucket:
    """The bucket of the lifecycle scripts."""

    def __init__(self, name: str, region: str, deadline_seconds: float = 180.0) -> None:
        self.name = name
        self._region = region
        self._deadline_seconds = deadline_seconds

    def put(self, key: str, content: Any) -> None:
        """Write an object with this value as JSON. Raises BucketError."""
        with tempfile.TemporaryDirectory(prefix="clusterwright-state-") as folder:
            path = Path(folder) / "body.json"
            path.write_text(json.dumps(content, sort_keys=True) + "\n", encoding="utf-8")
            self._call(
                "put-object", "--key", key, "--body", str(path),
                "--content-type", "application/json",
            )  # fmt: skip

    def get(self, key: str, largest_bytes: int = LARGEST_REQUEST_BYTES) -> str:
        """The first `largest_bytes` of an object, as text. Raises BucketError."""
        with tempfile.TemporaryDirectory(prefix="clusterwright-state-") as folder:
            path = Path(folder) / "body"
            last = f"bytes=0-{largest_bytes - 1}"
            self._call("get-object", "--key", key, "--range", last, str(path))
            return path.read_text(encoding="utf-8", errors="replace")

    def download(self, prefix: str, folder: Path, leave_out: str) -> None:
        """Write the objects below a prefix to a folder, except those of a pattern below it.

        Raises BucketError; the folder then has some of them.
        """
        words = ["cp", "--recursive", "--only-show-errors", "--region", self._region]
        words += ["--exclude", leave_out, "--", f"s3://{self.name}/{prefix}", str(folder)]
        answer = Probe(deadline_seconds=self._deadline_seconds).run(
            ["aws", "s3", *words], _DOWNLOAD_SECONDS
        )
        if not answer.ok:
            raise BucketError(f"s3 cp: {answer.summary}")

    def keys(self, prefix: str) -> list[str]:
        """The keys with this prefix. Raises BucketError."""
        answer = self._call("list-objects-v2", "--prefix", prefix, "--output", "json")
        found = json.loads(answer or "{}").get("Contents") or ()
        return sorted(str(entry["Key"]) for entry in found)

    def _call(self, operation: str, *words: str) -> str:
        probe = Probe(deadline_seconds=self._deadline_seconds)
        argv = ["aws", "s3api", operation, "--bucket", self.name, "--region", self._region]
        answer = probe.run([*argv, *words], _TIMEOUT_SECONDS)
        if not answer.ok:
            raise BucketError(f"{operation}: {answer.summary}")
        return answer.stdout


def parsed(text: str) -> Optional[dict[str, Any]]:
    """The JSON object of a text; None if it is something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

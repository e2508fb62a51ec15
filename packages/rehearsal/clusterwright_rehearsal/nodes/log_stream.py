"""Output of a lifecycle script, line by line, to CloudWatch Logs and to a file.

The names of group and stream on HyperPod are `/aws/sagemaker/Clusters/<name>/<id>` and
`LifecycleConfig/<group>/<instance-id>`.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

_EVERY_S = 1.0
_BATCH = 500


def group_name(cluster_name: str, cluster_id: str) -> str:
    return f"/aws/sagemaker/Clusters/{cluster_name}/{cluster_id}"


def stream_name(group: str, instance_id: str) -> str:
    return f"LifecycleConfig/{group}/{instance_id}"


class Stream:
    """One log stream, sent to CloudWatch Logs every second and when it is closed."""

    def __init__(self, client: Any, group: str, name: str, copy: Path) -> None:
        self._client = client
        self._group, self._name = group, name
        self._waiting: list[tuple[int, str]] = []
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._ended = threading.Event()
        copy.parent.mkdir(parents=True, exist_ok=True)
        self._copy = copy.open("a")
        self._created = False
        self._thread = threading.Thread(target=self._send_regularly, daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        with self._lock:
            self._waiting.append((int(time.time() * 1000), line))
            self._copy.write(line + "\n")
            self._copy.flush()

    def close(self) -> None:
        """Send the remaining lines; afterwards the stream contains every line."""
        self._ended.set()
        self._thread.join()
        self._send()
        self._copy.close()

    def _send_regularly(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._send()

    def _send(self) -> None:
        with self._sending:
            while True:
                with self._lock:
                    batch, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
                if not batch:
                    return
                self._create()
                self._client.put_log_events(
                    logGroupName=self._group,
                    logStreamName=self._name,
                    # An event must have at least one character.
                    logEvents=[{"timestamp": t, "message": text or " "} for t, text in batch],
                )

    def _create(self) -> None:
        if self._created:
            return
        for create, arguments in (
            (self._client.create_log_group, {"logGroupName": self._group}),
            (
                self._client.create_log_stream,
                {"logGroupName": self._group, "logStreamName": self._name},
            ),
        ):
            try:
                create(**arguments)
            except self._client.exceptions.ResourceAlreadyExistsException:
                continue
        self._created = True

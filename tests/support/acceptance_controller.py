"""A controller that answers a request for acceptance, in place of the node program's service."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from tests.stacks.deployment import Account


class AcceptanceController:
    """Answers the first request with a report about its nodes or all `workers`, in a thread."""

    def __init__(self, account: Account, bucket: str, workers: Sequence[str]) -> None:
        self._account, self._bucket = account, bucket
        self._workers = list(workers)
        self.request: dict[str, Any] = {}
        self.refused: list[dict[str, str]] = []
        self.status = "ended"
        self.verdicts: dict[str, str] = {}
        self.instances: dict[str, str] = {}
        self._end = threading.Event()

    def __enter__(self) -> AcceptanceController:
        self._clear()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(timeout=30)

    def _serve(self) -> None:
        while not self._end.wait(0.05):
            for key in self._keys():
                self.request = json.loads(
                    self._s3().get_object(Bucket=self._bucket, Key=key)["Body"].read()
                )
                self._answer(self.request)
                return

    def _answer(self, request: dict[str, Any]) -> None:
        names = request["nodes"] or self._workers
        done = [] if self.refused else [{"node": name, "result": "started"} for name in names]
        answer = {"schema_version": 1, "id": request["id"], "verb": "accept"}
        answer |= {"at": "2026-11-23T08:00:00Z", "done": done, "refused": self.refused}
        if not self.refused:
            self.publish(request["id"], names, request["level"])
        self._put(f"state/answers/{request['id']}.json", answer)

    def publish(self, run: str, names: list[str], level: str) -> None:
        nodes = [
            {
                "name": name,
                "group": "workers",
                "instance_id": self.instances.get(name, "i-1"),
                "instance_type": "p5.48xlarge",
                "verdict": self.verdicts.get(name, "accepted"),
                "reason": "",
                "action": "none",
                "checks": [{"id": "gpu-count", "verdict": "pass", "value": 8.0, "unit": "GPUs"}],
            }
            for name in names
        ]
        report = {"schema_version": 1, "run": run, "level": level, "status": self.status}
        report |= {"reason": "it stopped", "started_at": "2026-11-23T08:00:00Z", "nodes": nodes}
        self._put(f"state/acceptance/runs/{run}.json", report)

    def _put(self, key: str, value: dict[str, Any]) -> None:
        self._s3().put_object(Bucket=self._bucket, Key=key, Body=json.dumps(value).encode())

    def _keys(self) -> list[str]:
        found = self._s3().list_objects_v2(Bucket=self._bucket, Prefix="requests/")
        return [entry["Key"] for entry in found.get("Contents", ())]

    def _clear(self) -> None:
        for key in self._keys():
            self._s3().delete_object(Bucket=self._bucket, Key=key)

    def _s3(self) -> Any:
        return self._account.client("s3")

"""The report of an acceptance run, as the controller publishes it in `state/acceptance/runs`.

`lifecycle_scripts/clusterwright_acceptance` writes it. The design is in docs/designs/operating.md.
"""

from __future__ import annotations

import datetime as dt
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from clusterwright.aws import s3
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_state.not_read import NotRead

MAXIMUM_BYTES: Final = 64 * 1024 * 1024
"""Up to 9 KiB for each node; `lifecycle_scripts/clusterwright_common/records.py` has it too."""

Verdict = Literal["accepted", "rejected", "unknown"]
CheckVerdict = Literal["pass", "fail", "hung", "unknown", "skipped", "waived"]


class _Part(BaseModel):
    """Unknown keys, of a newer version of the node program, are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class RunCheck(_Part):
    """The result of a check on one node; `value` and `floor` are in `unit`."""

    id: str
    verdict: CheckVerdict
    reason: str = ""
    value: float | None = None
    floor: float | None = None
    unit: str | None = None
    source: str | None = None
    action: str = "none"


class RunClusterCheck(RunCheck):
    """The result of a test of several nodes at once; `nodes` is their number."""

    group: str = ""
    nodes: int
    size_mib: float | None = None
    mount_path: str | None = None

    @property
    def is_baseline(self) -> bool:
        """Whether no floor is known, so that its figure becomes the cluster's baseline."""
        return self.verdict == "unknown" and self.value is not None


class RunNode(_Part):
    """A node; without checks it was not tested, and `reason` says why."""

    name: str
    group: str = ""
    instance_id: str | None = None
    instance_type: str | None = None
    verdict: Verdict
    reason: str = ""
    action: str = "none"
    checks: tuple[RunCheck, ...] = ()


class RunSuspect(_Part):
    """A node, or a path between good nodes; `cluster` where no pair was good."""

    kind: Literal["node", "path", "cluster"]
    names: tuple[str, ...]
    evidence: str


class RunBaseline(_Part):
    """The cluster's own figure of a check, with which later runs compare."""

    check: str
    instance_type: str
    median: float
    deviation: float
    floor: float
    unit: str
    nodes: int
    versions: dict[str, str] = {}
    date: str
    size_mib: float | None = None
    node_count: int = 1


class RunReport(_Part):
    """The file `state/acceptance/runs/RUN.json`."""

    schema_version: Literal[1]
    run: str
    level: Literal["quick", "standard", "full"]
    status: Literal["running", "ended", "failed"]
    reason: str = ""
    started_at: dt.datetime
    ended_at: dt.datetime | None = None
    nodes: tuple[RunNode, ...] = ()
    cluster_checks: tuple[RunClusterCheck, ...] = ()
    suspects: tuple[RunSuspect, ...] = ()
    baseline: tuple[RunBaseline, ...] = ()


def run_report(session: AwsSession, bucket: str, run: str) -> RunReport | NotRead | None:
    """Return the report of a run; None before the first.

    Raises
    ------
    AwsUnavailable
        S3 did not return it.
    """
    key = f"state/acceptance/runs/{run}.json"
    text = s3.object_text(session, bucket, key, maximum_bytes=MAXIMUM_BYTES)
    if text is None:
        return None
    try:
        return RunReport.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return NotRead(f"the run {run}", f"{key} is not valid: {where}: {first['msg']}")

"""An operator of the cluster: requests to the controller, and what it publishes.

Operators have no connection to the cluster: both go through the bucket of the lifecycle scripts
(docs/designs/operating.md). The controller's service looks for requests every 30 s and when it
starts, so scenarios restart it. A restart also kills an acceptance run, which then goes on.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Sequence
from typing import Any

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job

SERVICE = "clusterwright-state.service"
FOLDER = "/var/lib/clusterwright/acceptance"


def bucket(context: ScenarioContext) -> str:
    """The bucket of the lifecycle scripts, as the service knows it."""
    unit = context.controller.must(f"systemctl cat {SERVICE}")
    words = [word for word in unit.split() if word.startswith("--bucket=")]
    context.expect(len(words) == 1, f"{SERVICE}: {unit}")
    return words[0].partition("=")[2]


def read_object(context: ScenarioContext, key: str) -> dict[str, Any] | None:
    """A JSON object of the bucket; None if it does not exist."""
    s3 = context.aws("s3")
    try:
        body = s3.get_object(Bucket=bucket(context), Key=key)["Body"].read()
    except s3.exceptions.NoSuchKey:
        return None
    found: dict[str, Any] = json.loads(body)
    return found


def send(
    context: ScenarioContext,
    verb: str,
    nodes: Sequence[str],
    because: str,
    *,
    minutes: int = 10,
    **more: Any,
) -> str:
    """Send a request that is valid for `minutes`; return its id. `more` are further keys."""
    now = dt.datetime.now(dt.UTC)
    times = {"created_at": now + dt.timedelta(minutes=min(0, minutes - 1))}
    times["expires_at"] = now + dt.timedelta(minutes=minutes)
    request_id = f"{now:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:12]}"
    content = {
        "schema_version": 1,
        "id": request_id,
        "verb": verb,
        "nodes": list(nodes),
        "because": because,
        "by": "rehearsal",
        **{key: when.strftime("%Y-%m-%dT%H:%M:%SZ") for key, when in times.items()},
        **more,
    }
    context.aws("s3").put_object(
        Bucket=bucket(context),
        Key=f"requests/{request_id}.json",
        Body=json.dumps(content).encode(),
    )
    return request_id


def poll_now(context: ScenarioContext) -> None:
    """Restart the service, which then looks for requests and publishes what changed."""
    context.controller.must(f"systemctl restart {SERVICE}")


def answer(context: ScenarioContext, request_id: str) -> dict[str, Any]:
    """Wait for the answer to a request."""
    found: list[dict[str, Any]] = []

    def not_answered() -> str | None:
        published = read_object(context, f"state/answers/{request_id}.json")
        if published is None:
            return f"no answer: {journal(context)}"
        found.append(published)
        return None

    context.wait_for(not_answered, within_s=120)
    return found[0]


def journal(context: ScenarioContext) -> str:
    """The last lines of the service's log."""
    shown = context.controller.run(f"journalctl --unit {SERVICE} --lines=3 --output=cat")
    return shown.stdout.strip()[-300:]


def start_acceptance(context: ScenarioContext, nodes: Sequence[str] = ()) -> str:
    """Request a quick acceptance as `clusterwright accept` does, of all nodes without names.

    Returns the id of the request, which is that of the run.
    """
    request_id = send(context, "accept", nodes, "acceptance, level quick", level="quick")
    poll_now(context)
    return request_id


def acceptance_report(
    context: ScenarioContext, run: str, *, within_s: float = 90.0
) -> dict[str, Any]:
    """Wait for the end of a run; return the report, as the controller keeps it."""
    report = f"{FOLDER}/runs/{run}.json"

    def not_ended() -> str | None:
        if context.controller.run(f"test -e {FOLDER}/runs/{run}/ended").ok:
            return None
        shown = context.controller.run(f"tail -n 3 {FOLDER}/wanted/{run}.log").stdout.strip()
        return f"the run has not ended: {shown[-300:]}; {journal(context)}"

    context.wait_for(not_ended, within_s=within_s)
    found: dict[str, Any] = json.loads(context.controller.must(f"cat {report}"))
    return found


def expect_accepted_first(context: ScenarioContext, job: Job) -> None:
    """The node of a job on one node was accepted, as this instance, before the job started."""
    (host,) = job.hosts
    found = json.loads(context.controller.must(f"cat {FOLDER}/nodes/{host}.json"))
    started = context.slurm(f"date --utc --date={job.show()['StartTime']} +%FT%TZ").strip()
    context.expect(
        found["state"] == "accepted"
        and found["instance_id"] == context.node(host).instance_id
        and found["tested_at"] <= started,
        f"job {job.id} started on {host} at {started}, and the record is {found}",
    )
    context.note(f"tested {found['tested_at']}, its first job started {started}")


def published_report(context: ScenarioContext, run: str) -> dict[str, Any]:
    """Wait until the report of a run that has ended is in the bucket; return it."""
    poll_now(context)
    found: list[dict[str, Any]] = []

    def not_published() -> str | None:
        published = read_object(context, f"state/acceptance/runs/{run}.json")
        if published is None or published["status"] == "running":
            return f"no report: {journal(context)}"
        found.append(published)
        return None

    context.wait_for(not_published, within_s=60)
    return found[0]

"""Requests to the controller and its answers, as objects of the bucket of the scripts.

`requests/ID.json` asks for one of a closed set of verbs on nodes that the controller knows; the
controller answers in `state/answers/ID.json`. IAM decides who may write `requests/*`. The design
is in docs/designs/operating.md.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clusterwright.aws import s3
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.acceptance import AcceptanceWaiver, one_line
from clusterwright.cluster_state.not_read import NotRead

VALID_FOR: Final = dt.timedelta(minutes=30)
"""The controller refuses a request that it finds later."""

LARGEST_BYTES: Final = 1024 * 1024
"""Of a request: the controller reads no more of it."""

_MAXIMUM_ANSWER_BYTES: Final = 1024 * 1024

Verb = Literal["accept", "drain", "reboot", "resume"]

Level = Literal["quick", "standard", "full"]
"""Of the acceptance checks."""

_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class RequestedWaiver(_Part):
    """A waiver of `acceptance.waivers`."""

    check: str = Field(description="The id of the check.")
    reason: str = Field(description="Why its result is accepted.")
    expires: str = Field(description="The last day, such as 2027-01-31.")
    nodes: tuple[str, ...] = Field(default=(), description="Its nodes; none means all.")
    groups: tuple[str, ...] = Field(default=(), description="Their groups; none means all.")


class Request(_Part):
    """The file `requests/ID.json`, as `lifecycle_scripts/clusterwright_state` reads it."""

    schema_version: Literal[1] = Field(default=1, description="Version of this form.")
    id: str = Field(
        pattern=r"^[A-Za-z0-9-]{8,64}$",
        description="Time and random digits; also the name of the file.",
    )
    verb: Verb = Field(description="What to do.")
    nodes: tuple[str, ...] = Field(
        description="NodeNames in Slurm; none means all with the verb accept, and no other."
    )
    because: str = Field(min_length=1, description="Why: Slurm's reason of a drain.")
    by: str = Field(default="", description="Who asks, which the reason names.")
    created_at: str = Field(description="When it was written, in UTC.")
    expires_at: str = Field(description="The controller refuses it afterwards; within an hour.")
    level: Level | None = Field(default=None, description="With the verb accept, and no other.")
    lustre: dict[str, tuple[int, int]] = Field(
        default={},
        description="With the verb accept: capacity in GiB and throughput in MB/s per TiB of file "
        "systems, by mount path, from which the floor of writing follows.",
    )
    waivers: tuple[RequestedWaiver, ...] | None = Field(
        default=None,
        description="With the verb accept: every waiver of the file, in place of those of the "
        "request before; null leaves these.",
    )


class DoneNode(_Part):
    """A node on which the request was carried out."""

    node: str = Field(description="NodeName in Slurm.")
    result: str = Field(description="What was done.")


class RefusedNode(_Part):
    """A node on which it was not; without a name, the request as a whole."""

    node: str = Field(description="NodeName in Slurm; empty for the whole request.")
    reason: str = Field(description="Why.")


class Answer(_Part):
    """The file `state/answers/ID.json`."""

    schema_version: Literal[1] = Field(default=1, description="Version of this form.")
    id: str = Field(description="The request's id.")
    verb: str | None = Field(description="The request's verb.")
    at: dt.datetime = Field(description="When the controller carried it out or refused it.")
    done: tuple[DoneNode, ...] = Field(description="Nodes on which it was carried out.")
    refused: tuple[RefusedNode, ...] = Field(description="Nodes on which it was not.")


def new_request(
    verb: Verb,
    nodes: tuple[str, ...],
    because: str,
    *,
    by: str = "",
    now: dt.datetime,
    level: Level | None = None,
    lustre: Mapping[str, tuple[int, int]] | None = None,
    waivers: Sequence[AcceptanceWaiver] | None = None,
) -> Request:
    """Return a request with a new id, which expires after `VALID_FOR`; `now` is in UTC."""
    return Request(
        id=f"{now:%Y%m%dT%H%M%SZ}-{uuid.uuid4().hex[:12]}",
        verb=verb,
        nodes=nodes,
        because=because,
        by=by,
        created_at=now.strftime(_TIME),
        expires_at=(now + VALID_FOR).strftime(_TIME),
        level=level,
        lustre=dict(lustre or {}),
        waivers=None if waivers is None else tuple(_requested(row) for row in waivers),
    )


def _requested(row: AcceptanceWaiver) -> RequestedWaiver:
    return RequestedWaiver(
        check=row.check,
        reason=one_line(row.reason),
        expires=row.expires.isoformat(),
        nodes=tuple(row.nodes),
        groups=tuple(row.groups),
    )


def text_of(request: Request) -> str:
    """The request as it is sent."""
    return request.model_dump_json() + "\n"


def send(session: AwsSession, bucket: str, request: Request) -> None:
    """Write a request.

    Raises
    ------
    AwsUnavailable
        S3 did not take it.
    """
    s3.put_text(session, bucket, f"requests/{request.id}.json", text_of(request))


def answer(session: AwsSession, bucket: str, request_id: str) -> Answer | NotRead | None:
    """Return the controller's answer; None before the first.

    Raises
    ------
    AwsUnavailable
        S3 did not return it.
    """
    key = f"state/answers/{request_id}.json"
    text = s3.object_text(session, bucket, key, maximum_bytes=_MAXIMUM_ANSWER_BYTES)
    if text is None:
        return None
    try:
        return Answer.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return NotRead(
            f"the answer to {request_id}", f"{key} is not valid: {where}: {first['msg']}"
        )


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schemas of a request and of an answer."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        "request": {**draft, **Request.model_json_schema(), "title": "requests/ID.json"},
        "answer": {**draft, **Answer.model_json_schema(), "title": "state/answers/ID.json"},
    }

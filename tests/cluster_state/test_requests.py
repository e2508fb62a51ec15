"""Requests to the controller, and its answers."""

from __future__ import annotations

import datetime as dt
import importlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from botocore.response import StreamingBody
from botocore.stub import ANY, Stubber
from pydantic import ValidationError

from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.acceptance import AcceptanceWaiver
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.requests import (
    LARGEST_BYTES,
    Answer,
    Verb,
    answer,
    json_schemas,
    new_request,
    send,
    text_of,
)

LIFECYCLE = Path(__file__).resolve().parents[2] / "lifecycle_scripts"
NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> AwsSession:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "111122223333")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return AwsSession("us-east-1")


@pytest.fixture
def controller(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The node program's own reader of requests."""
    monkeypatch.syspath_prepend(str(LIFECYCLE))
    return importlib.import_module("clusterwright_state.requests")


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("s3")) as stub:
        yield stub


def body(text: bytes) -> dict[str, Any]:
    return {"Body": StreamingBody(io.BytesIO(text), len(text)), "ContentLength": len(text)}


def test_request_is_an_object_named_by_its_id(session: AwsSession, stub: Stubber) -> None:
    request = new_request("drain", ("workers-1",), "xid 79", now=NOW)
    assert request.id.startswith("20261123T080000Z-")
    assert (request.created_at, request.expires_at) == (
        "2026-11-23T08:00:00Z",
        "2026-11-23T08:30:00Z",
    )
    parameters = {
        "Bucket": "scripts",
        "Key": f"requests/{request.id}.json",
        "Body": ANY,
        "ContentType": "application/json",
    }
    stub.add_response("put_object", {}, parameters)
    send(session, "scripts", request)
    stub.assert_no_pending_responses()


@pytest.mark.parametrize("verb", get_args(Verb))
def test_the_controller_reads_the_request(controller: ModuleType, verb: Verb) -> None:
    """Both sides are kept equal: the node program imports nothing of the product."""
    level = "standard" if verb == "accept" else None
    lustre = {"/fsx": (38_400, 500)} if verb == "accept" else {}
    request = new_request(
        verb, ("workers-1",), "xid 79", by="ada", now=NOW, level=level, lustre=lustre
    )
    found = controller.read(json.loads(request.model_dump_json()), request.id, NOW)
    assert (found.verb, found.nodes, found.because, found.by) == (
        verb,
        ("workers-1",),
        "xid 79",
        "ada",
    )
    assert (found.level, found.lustre) == (level or "", lustre)
    assert set(get_args(Verb)) == set(controller.VERBS)


def test_the_answer_of_the_controller_is_read(
    session: AwsSession, stub: Stubber, controller: ModuleType
) -> None:
    written = controller.answer_of(
        "ID", "drain", [{"node": "a", "result": "drained"}], [{"node": "b", "reason": "unknown"}]
    )
    stub.add_response("get_object", body(json.dumps(written).encode()))
    found = answer(session, "scripts", "ID")
    assert isinstance(found, Answer)
    assert (found.done[0].result, found.refused[0].node) == ("drained", "b")


def test_two_requests_have_two_ids() -> None:
    ids = {new_request("drain", ("a",), "x", now=NOW).id for _ in range(10)}
    assert len(ids) == 10


def test_no_answer_yet(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("get_object", "NoSuchKey")
    assert answer(session, "scripts", "ID") is None


def test_invalid_answer(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("get_object", body(b'{"id": "ID"}'))
    found = answer(session, "scripts", "ID")
    assert isinstance(found, NotRead)
    assert found.reason == "state/answers/ID.json is not valid: verb: Field required"


def test_schemas_have_the_verbs() -> None:
    assert json_schemas()["request"]["properties"]["verb"]["enum"] == list(get_args(Verb))
    assert {"done", "refused"} <= set(json_schemas()["answer"]["required"])


def test_the_controller_reads_the_waivers_of_the_file(
    controller: ModuleType,
) -> None:
    row = {
        "check": "nvlink",
        "reason": "the vendor\nreplaces the cable",
        "expires": "2026-12-07",
        "nodes": ["ip-10-1-0-31"],
        "groups": ["workers"],
    }
    waivers = AcceptanceWaiver.model_validate(row)
    made = new_request(
        "accept", (), "acceptance", now=NOW, level="quick", lustre={}, waivers=[waivers]
    )
    value = json.loads(made.model_dump_json())
    found = controller.read(value, made.id, NOW)
    assert found.waivers == [{**row, "reason": "the vendor replaces the cable"}]
    without = new_request("accept", (), "acceptance", now=NOW, level="quick")
    value = json.loads(without.model_dump_json())
    assert controller.read(value, without.id, NOW).waivers is None


@pytest.mark.parametrize(
    ("reason", "valid"),
    [
        ("see   #4711", False),
        ("see    #47110", True),
        ("the\tvendor\u00a0replaces", True),
        ("the vendor\u200b replaces it", False),
        ("Austausch ver\u00adeinbart", False),
        ("the vendor \x1b[31m replaces", False),
        ("a face \U0001fae8 of Unicode 15", True),
        ("x" * 1000, True),
        ("x" * 1001, False),
    ],
)
def test_file_and_controller_judge_reasons_alike(
    controller: ModuleType, reason: str, valid: bool
) -> None:
    row = {"check": "nvlink", "reason": reason, "expires": "2026-12-07"}
    value = json.loads(text_of(new_request("accept", (), "a", now=NOW, level="quick")))
    value["waivers"] = [row]
    if not valid:
        with pytest.raises(ValidationError):
            AcceptanceWaiver.model_validate(row)
        with pytest.raises(controller.Refused):
            controller.read(value, value["id"], NOW)
        return
    waivers = [AcceptanceWaiver.model_validate(row)]
    made = new_request("accept", (), "acceptance", now=NOW, level="quick", waivers=waivers)
    (kept,) = controller.read(json.loads(text_of(made)), made.id, NOW).waivers
    assert kept["reason"] == " ".join(reason.split())


@pytest.mark.usefixtures("controller")
def test_the_controller_reads_as_much_as_is_sent() -> None:
    bucket = importlib.import_module("clusterwright_state.bucket")
    assert bucket.LARGEST_REQUEST_BYTES == LARGEST_BYTES

"""Reduced API models send and parse as botocore's do, and damaged files are never read."""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.session import Session

import clusterwright.aws
from clusterwright.aws.api_models import KINDS, SmallModels, asks, read_models_small
from clusterwright.aws.operations import OPERATIONS
from clusterwright.aws.session import AwsSession

SERVICES = sorted(OPERATIONS)
# A recursive shape (filters of Cost Explorer) is filled to this depth.
DEPTH = 4


@pytest.fixture(autouse=True)
def _a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(tmp_path))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the reduced model of every service."""
    folder = tmp_path_factory.mktemp("api-models")
    session = Session()
    read_models_small(session, folder)
    loader = session.get_component("data_loader")
    for service in SERVICES:
        loader.load_service_model(service, "service-2")
    return folder


@pytest.fixture(scope="module")
def small(kept: Path) -> Session:
    """A session that reads the models from that folder."""
    session = Session()
    read_models_small(session, kept)
    return session


@pytest.fixture(scope="module")
def whole() -> Session:
    """botocore with its complete models."""
    session = Session()
    read_models_small(session, None)
    return session


@pytest.mark.parametrize("service", SERVICES)
def test_reduced_model_equals_that_of_botocore(
    service: str, small: Session, whole: Session
) -> None:
    models = [s.get_component("data_loader") for s in (small, whole)]
    cut, full = (loader.load_service_model(service, "service-2") for loader in models)
    operations = {n: o for n, o in full["operations"].items() if asks(service, n)}
    assert operations
    assert cut["operations"] == without_words(operations)
    assert cut["metadata"] == full["metadata"]
    assert set(cut) | {"documentation"} == set(full) | {"documentation"}
    for name, shape in cut["shapes"].items():
        assert shape == without_words(full["shapes"][name])
    assert references(cut["operations"]) | references(cut["shapes"]) <= set(cut["shapes"])
    errors = [[n for n, s in m["shapes"].items() if s.get("exception")] for m in (cut, full)]
    assert errors[0] == errors[1]
    rules = [loader.load_service_model(service, "endpoint-rule-set-1") for loader in models]
    assert rules[0] == rules[1]


def test_enumerations_that_the_code_uses_are_kept(small: Session) -> None:
    found = set()
    for path in Path(clusterwright.aws.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                given = {k.arg: k.value for k in node.keywords}
                named = given.get("service"), given.get("shape")
                if all(isinstance(value, ast.Constant) for value in named):
                    found.add(tuple(value.value for value in named))  # type: ignore[union-attr]
    assert ("ec2", "NatGatewayState") in found
    for service, shape in found:
        assert small.get_service_model(service).shape_for(shape).enum


@pytest.mark.parametrize("service", SERVICES)
def test_requests_and_pages_match_the_complete_model(
    service: str, small: Session, whole: Session
) -> None:
    clients = [made(session, service) for session in (small, whole)]
    for name in clients[0].meta.service_model.operation_names:
        method = next(m for m, o in clients[0].meta.method_to_api_mapping.items() if o == name)
        paginated = [client.can_paginate(method) for client in clients]
        assert paginated[0] == paginated[1]
        if paginated[0]:
            pages = [client.get_paginator(method)._pagination_cfg for client in clients]
            assert pages[0] == pages[1]
        shape = clients[1].meta.service_model.operation_model(name).input_shape
        parameters = {} if shape is None else filled(shape, DEPTH)
        assert sent(clients[0], method, parameters) == sent(clients[1], method, parameters)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"DescribeKey", b"D")),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff\x00\n{}"),
        lambda path: path.chmod(0o666),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), os.mkfifo(path)),
        lambda path: path.write_bytes(packed(b"")),
        lambda path: path.write_bytes(packed(b"[" * 100_000)),
    ],
    ids=[
        *("cut off", "changed", "empty", "no text", "writable for all", "a folder"),
        *("a pipe that nobody writes to", "nothing, whose sum is right", "brackets alone"),
    ],
)
def test_damaged_cache_file_is_ignored(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    first = loaded(tmp_path)
    (path,) = tmp_path.rglob("kms.json")
    before = path.read_bytes()
    damage(path)
    assert loaded(tmp_path) == first
    if not path.is_dir():
        assert path.read_bytes() == before, "it was not made again"
    assert not [p for p in path.parent.iterdir() if p.name.startswith(".")]


def test_cache_file_of_other_models_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = loaded(tmp_path)
    (path,) = tmp_path.rglob("kms.json")
    asked = OPERATIONS["kms"]
    monkeypatch.setitem(OPERATIONS, "kms", asked[:2])
    assert set(loaded(tmp_path)["operations"]) == set(asked[:2])
    monkeypatch.setitem(OPERATIONS, "kms", asked)
    assert loaded(tmp_path) == first
    # The same folder after botocore was installed again: its files have another date.
    kept = json.loads(path.read_bytes().partition(b"\n")[2])
    from clusterwright.aws import api_models

    kept["made_from"][2][0][2] += 1
    kept["models"]["service-2"]["operations"] = {}
    path.write_bytes(api_models._packed(kept))
    assert loaded(tmp_path) == first


def test_cache_is_read_instead_of_botocore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = loaded(tmp_path)
    monkeypatch.setattr("json.loads", only_ours(json.loads))
    assert loaded(tmp_path) == first


def test_unwritable_cache_folder_is_ignored(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert set(loaded(in_the_way)["operations"]) == set(OPERATIONS["kms"])


def test_other_operations_use_the_complete_model_and_the_same_credentials() -> None:
    session = AwsSession("us-east-1")
    client = session.client("ec2")
    assert not hasattr(client, "describe_tags")
    other = session.client("ec2", operation="DescribeTags")
    assert hasattr(other, "describe_tags")
    assert session.client("ec2", operation="DescribeVpcs") is client
    assert session.client("ec2", operation="DescribeTags") is other
    assert session.client("sqs").list_queues
    assert other._get_credentials() is client._get_credentials()
    # Requests that botocore makes by itself, for credentials.
    assert session.client("sts").assume_role_with_web_identity


def test_custom_models_of_the_user_are_loaded_by_botocore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert type(component(tmp_path)) is SmallModels
    assert type(component(None)) is not SmallModels
    (tmp_path / "models").mkdir()
    monkeypatch.setenv("AWS_DATA_PATH", os.fspath(tmp_path / "models"))
    assert type(component(tmp_path)) is not SmallModels


def component(folder: Path | None) -> Any:
    session = Session()
    read_models_small(session, folder)
    return session.get_component("data_loader")


def packed(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def loaded(folder: Path) -> dict[str, Any]:
    loader = component(folder)
    assert all(loader.load_service_model("kms", kind) for kind in KINDS)
    found: dict[str, Any] = loader.load_service_model("kms", "service-2")
    return found


def only_ours(loads: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(text: Any, *args: Any, **more: Any) -> Any:
        found = loads(text, *args, **more)
        assert "made_from" in found, "a file of botocore's was read"
        return found

    return guarded


def without_words(value: Any) -> Any:
    """The model without documentation; a member with that name is not documentation."""
    text = json.dumps(value)
    return json.loads(
        text,
        object_pairs_hook=lambda pairs: {
            k: v for k, v in pairs if k != "documentation" or not isinstance(v, str)
        },
    )


def references(value: Any) -> set[str]:
    found: set[str] = set()

    def look(pairs: list[tuple[str, Any]]) -> None:
        found.update(v for k, v in pairs if k == "shape" and isinstance(v, str))

    json.loads(json.dumps(value), object_pairs_hook=look)
    return found


def made(session: Session, service: str) -> Any:
    return session.create_client(
        service,
        region_name="eu-west-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
    )


def sent(client: Any, method: str, parameters: dict[str, Any]) -> Any:
    """The request as sent, without time-dependent parts."""
    seen: list[Any] = []

    def stop(request: Any, **_: Any) -> None:
        changing = ("authorization", "amz-sdk-invocation-id", "user-agent", "x-amz-date")
        headers = {k: v for k, v in request.headers.items() if k.lower() not in changing}
        body = request.body
        body = body.read() if hasattr(body, "read") else body
        seen.append((request.method, request.url, headers, body))
        raise Sent

    client.meta.events.register_first("before-send", stop)
    with pytest.raises(Sent):
        getattr(client, method)(**parameters)
    client.meta.events.unregister("before-send", stop)
    assert len(seen) == 1
    return seen[0]


class Sent(Exception):
    """Send no request."""


def filled(shape: Any, depth: int) -> Any:
    """Return a value with every member of a shape."""
    if shape.type_name == "structure":
        names = list(shape.members if depth > 0 else shape.required_members)
        names = names[:1] if shape.is_tagged_union else names
        return {name: filled(shape.members[name], depth - 1) for name in names}
    if shape.type_name == "list":
        return [filled(shape.member, depth)]
    if shape.type_name == "map":
        return {filled(shape.key, depth): filled(shape.value, depth)}
    if shape.type_name == "string":
        return shape.enum[0] if shape.enum else ("text-of-22-characters-" * 9)[: _length(shape)]
    if shape.type_name in ("integer", "long", "float", "double"):
        return max(1, int(shape.metadata.get("min", 1)))
    if shape.type_name == "boolean":
        return True
    if shape.type_name == "timestamp":
        return 1_700_000_000
    assert shape.type_name == "blob"
    return b"bytes"


def _length(shape: Any) -> int:
    return max(int(shape.metadata.get("min", 1)), min(int(shape.metadata.get("max", 22)), 22))

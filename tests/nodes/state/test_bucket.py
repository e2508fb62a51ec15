"""Objects of the bucket, with a fake AWS CLI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clusterwright_state.bucket import Bucket, BucketError, parsed

from tests.nodes.metrics.fake_node import Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    monkeypatch.setattr(
        "clusterwright_state.bucket.Probe", lambda deadline_seconds: found.probe(deadline_seconds)
    )
    return found


def test_an_object_is_written_as_json(machine: Machine) -> None:
    machine.command(
        "aws",
        f'echo "$*" > {machine.root}/ran; while [ "$1" != --body ]; do shift; done; '
        f"cp $2 {machine.root}/body",
    )
    Bucket("b", "us-east-1").put("state/x.json", {"b": 1, "a": None})
    assert (machine.root / "body").read_text() == '{"a": null, "b": 1}\n'
    ran = (machine.root / "ran").read_text()
    assert ran.startswith("s3api put-object --bucket b --region us-east-1 --key state/x.json ")


def test_keys_and_texts_are_read(machine: Machine) -> None:
    machine.says("aws", json.dumps({"Contents": [{"Key": "requests/b"}, {"Key": "requests/a"}]}))
    assert Bucket("b", "us-east-1").keys("requests/") == ["requests/a", "requests/b"]
    machine.command("aws", 'for last; do :; done; echo "{}" > "$last"')
    assert Bucket("b", "us-east-1").get("requests/a") == "{}\n"
    machine.command("aws", 'echo "$*" >&2; exit 1')
    with pytest.raises(BucketError, match="--range bytes=0-9 "):
        Bucket("b", "us-east-1").get("requests/a", 10)


def test_objects_below_a_prefix_are_downloaded(machine: Machine, tmp_path: Path) -> None:
    machine.command("aws", f'echo "$*" > {machine.root}/ran')
    Bucket("b", "us-east-1").download("state/acceptance/", tmp_path, "runs/*")
    assert (machine.root / "ran").read_text() == (
        "s3 cp --recursive --only-show-errors --region us-east-1 --exclude runs/* -- "
        f"s3://b/state/acceptance/ {tmp_path}\n"
    )
    machine.command("aws", "echo 'fatal error: AccessDenied' >&2; exit 1")
    with pytest.raises(BucketError, match=r"^s3 cp: fatal error: AccessDenied$"):
        Bucket("b", "us-east-1").download("state/", tmp_path, "")


def test_empty_bucket_has_no_keys(machine: Machine) -> None:
    machine.command("aws", "exit 0")
    assert Bucket("b", "us-east-1").keys("requests/") == []


def test_a_failed_call_says_what_the_cli_said(machine: Machine) -> None:
    machine.command("aws", "echo 'An error occurred (AccessDenied)' >&2; exit 254")
    with pytest.raises(BucketError, match=r"^put-object: An error occurred \(AccessDenied\)$"):
        Bucket("b", "us-east-1").put("k", {})


def test_only_objects_are_parsed() -> None:
    assert parsed('{"a": 1}') == {"a": 1}
    assert parsed("[1]") is None
    assert parsed("{") is None
    assert parsed("[" * 100_000) is None, "deeper than Python's stack"

"""`clusterwright artefacts` with a bucket of the local AWS."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import boto3
import pytest

from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.loading import load_cluster
from clusterwright_localaws import local_aws
from tests.support import specs
from tests.support.command_line import Answer, clusterwright

CONTENT = b"a package"
SHA = hashlib.sha256(CONTENT).hexdigest()
ROW = {
    "name": "enroot",
    "version": "3.4.1-1",
    "architecture": "x86_64",
    "url": "https://example.com/enroot_3.4.1-1_amd64.deb",
    "sha256": "unknown",
    "size_bytes": "unknown",
    "source": "the release page",
    "used_by": ["containers"],
}


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return write(tmp_path, ROW)


@pytest.fixture(autouse=True)
def internet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "clusterwright.artefacts.download._open", lambda _url: nullcontext(io.BytesIO(CONTENT))
    )


@pytest.fixture
def bucket(tmp_path: Path) -> Iterator[str]:
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", specs.changed({}))).cluster
    with local_aws(account=specs.ACCOUNT):
        name = lifecycle_bucket(cluster)
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket=name)
        yield name


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "artefacts.json"
    path.write_text(json.dumps({"schema_version": 1, "artefacts": list(rows)}))
    return path


def mirror(lock: Path, *options: str) -> Answer:
    folder = lock.parent
    return clusterwright(
        "artefacts",
        "mirror",
        folder / "spec.yaml",
        "--lock",
        lock,
        "--cache",
        folder / "cache",
        *options,
    )


def test_unknown_artefact_is_refused_then_pinned_then_present(lock: Path, bucket: str) -> None:
    before = lock.read_text()
    refused = mirror(lock)
    assert refused.exit_code == 1
    assert "refused   enroot 3.4.1-1 (x86_64): its checksum is unknown" in refused.out
    assert "hint: --pin accepts unknown checksums" in refused.out
    assert lock.read_text() == before

    taken = mirror(lock, "--pin")
    assert taken.exit_code == 0
    key = f"artefacts/{SHA}/enroot_3.4.1-1_amd64.deb"
    assert f"pinned    enroot 3.4.1-1 (x86_64): {key}" in taken.out
    (row,) = json.loads(lock.read_text())["artefacts"]
    assert (row["sha256"], row["size_bytes"]) == (SHA, len(CONTENT))
    body = boto3.client("s3", region_name="us-east-1").get_object(Bucket=bucket, Key=key)["Body"]
    assert body.read() == CONTENT

    again = json.loads(mirror(lock, "--format", "json").out)
    assert (again["command"], again["exit_code"]) == ("artefacts mirror", 0)
    assert [entry["status"] for entry in again["artefacts"]] == ["present"]


def test_different_file_is_reported(tmp_path: Path, bucket: str) -> None:
    lock = write(tmp_path, {**ROW, "sha256": "b" * 64, "size_bytes": len(CONTENT)})
    answer = mirror(lock)
    assert answer.exit_code == 1
    assert f"has SHA-256 {SHA}, expected {'b' * 64}" in answer.out
    assert "Contents" not in boto3.client("s3", region_name="us-east-1").list_objects_v2(
        Bucket=bucket
    )


def test_missing_bucket_names_the_stack_that_creates_it(lock: Path, bucket: str) -> None:
    boto3.client("s3", region_name="us-east-1").delete_bucket(Bucket=bucket)
    answer = mirror(lock, "--pin")
    assert answer.exit_code == 3
    assert f"there is no bucket {bucket}" in answer.err
    assert "hint: deploy the lifecycle stack first" in answer.err


def test_access_denied_by_s3_is_an_error(lock: Path, bucket: str) -> None:
    fault = {"service": "s3", "operation": "PutObject", "error": "AccessDenied"}
    with local_aws(account=specs.ACCOUNT, faults=[fault]):
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket=bucket)
        answer = mirror(lock, "--pin", "--format", "json")
    assert answer.exit_code == 2
    assert "PutObject" in json.loads(answer.out)["unanswered"]


def test_pin_writes_checksums_without_a_spec_or_an_account(lock: Path) -> None:
    options = ("artefacts", "pin", "--lock", lock, "--cache", lock.parent / "cache")
    answer = clusterwright(*options)
    assert answer.exit_code == 0
    assert answer.out == (
        "pinned    enroot 3.4.1-1 (x86_64): https://example.com/enroot_3.4.1-1_amd64.deb\n"
        f"          {SHA}  9 bytes\n"
        f"\n{lock}: 1 pinned\n"
        "hint: compare the checksums with the published ones, then commit the list\n"
    )
    (row,) = json.loads(lock.read_text())["artefacts"]
    assert (row["sha256"], row["size_bytes"]) == (SHA, len(CONTENT))
    again = json.loads(clusterwright(*options, "--format", "json").out)
    assert (again["command"], again["exit_code"]) == ("artefacts pin", 0)
    assert [entry["status"] for entry in again["artefacts"]] == ["verified"]


def test_pin_changes_no_listed_checksum(tmp_path: Path) -> None:
    lock = write(tmp_path, {**ROW, "sha256": "b" * 64, "size_bytes": len(CONTENT)})
    before = lock.read_text()
    answer = clusterwright("artefacts", "pin", "--lock", lock, "--cache", tmp_path / "cache")
    assert answer.exit_code == 1
    assert f"has SHA-256 {SHA}, expected {'b' * 64}" in answer.out
    assert lock.read_text() == before


def test_pin_reports_a_source_that_does_not_answer(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_url: str) -> Any:
        raise OSError("connection refused")

    monkeypatch.setattr("clusterwright.artefacts.download._open", refuse)
    answer = clusterwright("artefacts", "pin", "--lock", lock, "--cache", lock.parent / "cache")
    assert answer.exit_code == 2
    assert "failed    enroot 3.4.1-1 (x86_64): " in answer.out
    assert "connection refused" in answer.out
    (row,) = json.loads(lock.read_text())["artefacts"]
    assert row["sha256"] == "unknown"


def test_list_shows_the_number_of_unknown_artefacts(lock: Path) -> None:
    answer = clusterwright("artefacts", "list", "--lock", lock)
    assert answer.exit_code == 0
    assert answer.out == (
        "enroot  3.4.1-1  x86_64  unknown\n\n1 artefacts, 1 with an unknown checksum\n"
    )
    data = json.loads(clusterwright("artefacts", "list", "--lock", lock, "--format", "json").out)
    assert data["artefacts"][0]["sha256"] is None


def test_invalid_list_is_a_user_error(tmp_path: Path) -> None:
    answer = clusterwright("artefacts", "list", "--lock", write(tmp_path, {"name": "x"}))
    assert answer.exit_code == 3
    assert "artefacts[0]: expected the keys name, version" in answer.err
    answer = clusterwright("artefacts", "list", "--lock", tmp_path / "none.json")
    assert (answer.exit_code, "the file does not exist" in answer.err) == (3, True)


def test_list_of_the_spec_is_mirrored_and_pinned(lock: Path, bucket: str) -> None:
    folder = lock.parent
    specs.write(folder / "spec.yaml", specs.changed({"lifecycle": {"artefacts": str(lock)}}))
    answer = clusterwright(
        "artefacts", "mirror", folder / "spec.yaml", "--cache", folder / "cache", "--pin"
    )
    assert answer.exit_code == 0, answer.err
    assert bucket in answer.out
    assert json.loads(lock.read_text())["artefacts"][0]["sha256"] == SHA


def test_missing_checksums_are_found_before_the_deployment(tmp_path: Path) -> None:
    """The commands of docs/how-to/mirror-artefacts.md, with the list as shipped."""
    spec = tmp_path / "prod.yaml"
    specs.write(spec, specs.changed({"slurm.containers": {"pyxis": True, "install": "mirrored"}}))
    answer = clusterwright("check", spec, "--offline", "--only", "CW-L006")
    assert answer.exit_code == 1
    assert "error[CW-L006]: the checksums of enroot 3.4.1-1 (x86_64), " in answer.out
    assert (
        "hint: `clusterwright artefacts pin --lock lifecycle_scripts/artefacts.json`, then review"
        in answer.out
    )

"""Artefacts of an assembly are mirrored to the emulated bucket."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal import artefact_mirror, container_stubs
from clusterwright_rehearsal.errors import RehearsalError


class Bucket:
    """The methods of an S3 client that are used."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def list_objects_v2(self, **words: Any) -> dict[str, Any]:
        found = [k for k in self.objects if k.startswith(words["Prefix"])]
        return {"Contents": [{"Key": k, "Size": len(self.objects[k])} for k in found]}

    def put_object(self, **words: Any) -> None:
        self.objects[words["Key"]] = words["Body"]


@pytest.fixture
def stubs(tmp_path: Path) -> container_stubs.ContainerStubs:
    return container_stubs.create(tmp_path / "stubs")


def assembly(folder: Path, *names: tuple[str, str]) -> Path:
    asset = folder / "asset.1"
    asset.mkdir(parents=True)
    rows = [{"name": name, "architecture": architecture} for name, architecture in names]
    artefacts = {"artefacts": {"bucket": "b", "files": rows}} if rows else {}
    (asset / "cluster.json").write_text(json.dumps(artefacts))
    return folder


def test_needed_artefacts_are_stored_under_their_key(
    stubs: container_stubs.ContainerStubs, tmp_path: Path
) -> None:
    found = artefact_mirror.needed_artefacts(assembly(tmp_path / "cdk.out", ("enroot", "any")))
    assert found is not None
    bucket = Bucket()
    outcomes = artefact_mirror.mirror_to_bucket(bucket, found, stubs.lock, stubs.cache)
    assert [each.status for each in outcomes] == ["mirrored"]
    ((key, content),) = bucket.objects.items()
    digest = hashlib.sha256(content).hexdigest()
    assert key == f"artefacts/{digest}/enroot_0-standin_all.deb"
    again = artefact_mirror.mirror_to_bucket(bucket, found, stubs.lock, stubs.cache)
    assert [each.status for each in again] == ["present"]
    assert artefact_mirror.missing_notes(again) == []


def test_assembly_without_artefacts_needs_none(tmp_path: Path) -> None:
    assert artefact_mirror.needed_artefacts(assembly(tmp_path / "cdk.out")) is None


def test_artefact_without_checksum_is_reported_and_not_mirrored(tmp_path: Path) -> None:
    found = artefact_mirror.needed_artefacts(assembly(tmp_path / "cdk.out", ("pyxis", "any")))
    assert found is not None
    lock = artefact_mirror.lock_path(
        {"lifecycle": {"artefacts": "lifecycle_scripts/artefacts.json"}}
    )
    bucket = Bucket()
    outcomes = artefact_mirror.mirror_to_bucket(bucket, found, lock, tmp_path / "cache")
    assert bucket.objects == {}
    (text,) = artefact_mirror.missing_notes(outcomes)
    assert "pyxis 0.19.0 (any): its checksum is unknown" in text


def test_unreadable_lock_file_is_an_error(tmp_path: Path) -> None:
    found = artefact_mirror.NeededArtefacts("b", frozenset())
    with pytest.raises(RehearsalError, match="the file does not exist"):
        artefact_mirror.mirror_to_bucket(Bucket(), found, tmp_path / "none.json")

"""Stand-ins for Enroot and Pyxis as artefacts, and the emulated bucket that they are put into."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from clusterwright.artefacts.lock import read_lock
from clusterwright.artefacts.selection import PROGRAMS_OF_CONTAINERS, absent
from clusterwright_rehearsal import artefact_mirror, container_stubs
from clusterwright_rehearsal.errors import RehearsalError


class Bucket:
    """As much of a client of S3 as is used."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def list_objects_v2(self, **words: Any) -> dict[str, Any]:
        found = [k for k in self.objects if k.startswith(words["Prefix"])]
        return {"Contents": [{"Key": k, "Size": len(self.objects[k])} for k in found]}

    def put_object(self, **words: Any) -> None:
        self.objects[words["Key"]] = words["Body"]


@pytest.fixture
def made(tmp_path: Path) -> container_stubs.ContainerStubs:
    return container_stubs.create(tmp_path / "stand-ins")


def test_the_list_has_their_real_checksums_and_all_that_containers_need(
    made: container_stubs.ContainerStubs,
) -> None:
    listed = read_lock(made.lock)
    assert absent(listed, PROGRAMS_OF_CONTAINERS, ("x86_64", "arm64")) == []
    for each in listed:
        content = (made.cache / f"{each.sha256}-{each.file_name}").read_bytes()
        assert hashlib.sha256(content).hexdigest() == each.sha256
        assert len(content) == each.size_bytes
        assert "standin" in each.version


def test_they_are_the_same_bytes_each_time(
    made: container_stubs.ContainerStubs, tmp_path: Path
) -> None:
    again = container_stubs.create(tmp_path / "again")
    assert read_lock(again.lock) == read_lock(made.lock)


def test_the_package_is_one_for_dpkg(made: container_stubs.ContainerStubs) -> None:
    (package,) = made.cache.glob("*.deb")
    content = package.read_bytes()
    assert content.startswith(b"!<arch>\ndebian-binary   ")
    if shutil.which("dpkg-deb"):
        words = ["dpkg-deb", "--field", str(package), "Package", "Version"]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert told == "Package: enroot\nVersion: 0-standin\n"
        files = subprocess.run(
            ["dpkg-deb", "--contents", str(package)], capture_output=True, text=True, check=True
        ).stdout
        assert "-rwxr-xr-x root/root" in files or "-rwxr-xr-x 0/0" in files
        assert "./usr/bin/enroot" in files


def test_the_source_unpacks_as_pyxis_does(made: container_stubs.ContainerStubs) -> None:
    (source,) = made.cache.glob("*.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(source.read_bytes())) as archive:
        assert {"pyxis-0-standin/Makefile", "pyxis-0-standin/spank_pyxis.c"} <= set(
            archive.getnames()
        )


def assembly(folder: Path, *names: tuple[str, str]) -> Path:
    asset = folder / "asset.1"
    asset.mkdir(parents=True)
    rows = [{"name": name, "architecture": architecture} for name, architecture in names]
    artefacts = {"artefacts": {"bucket": "b", "files": rows}} if rows else {}
    (asset / "cluster.json").write_text(json.dumps(artefacts))
    return folder


def test_what_nodes_will_fetch_is_put_under_their_key(
    made: container_stubs.ContainerStubs, tmp_path: Path
) -> None:
    found = artefact_mirror.needed_artefacts(assembly(tmp_path / "cdk.out", ("enroot", "any")))
    assert found is not None
    bucket = Bucket()
    outcomes = artefact_mirror.mirror_to_bucket(bucket, found, made.lock, made.cache)
    assert [each.status for each in outcomes] == ["mirrored"]
    ((key, content),) = bucket.objects.items()
    digest = hashlib.sha256(content).hexdigest()
    assert key == f"artefacts/{digest}/enroot_0-standin_all.deb"
    again = artefact_mirror.mirror_to_bucket(bucket, found, made.lock, made.cache)
    assert [each.status for each in again] == ["present"]
    assert artefact_mirror.missing_notes(again) == []


def test_an_assembly_without_artefacts_wants_none(tmp_path: Path) -> None:
    assert artefact_mirror.needed_artefacts(assembly(tmp_path / "cdk.out")) is None


def test_an_unknown_checksum_is_named_and_not_mirrored(tmp_path: Path) -> None:
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


def test_a_list_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    found = artefact_mirror.NeededArtefacts("b", frozenset())
    with pytest.raises(RehearsalError, match="there is no such file"):
        artefact_mirror.mirror_to_bucket(Bucket(), found, tmp_path / "none.json")

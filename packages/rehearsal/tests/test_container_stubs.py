"""Stubs of Enroot and Pyxis as artefacts."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from clusterwright.artefacts.lock import read_lock
from clusterwright.artefacts.selection import PROGRAMS_OF_CONTAINERS, absent
from clusterwright_rehearsal import container_stubs


@pytest.fixture
def stubs(tmp_path: Path) -> container_stubs.ContainerStubs:
    return container_stubs.create(tmp_path / "stubs")


def test_lock_file_has_checksums_of_all_container_artefacts(
    stubs: container_stubs.ContainerStubs,
) -> None:
    listed = read_lock(stubs.lock)
    assert absent(listed, PROGRAMS_OF_CONTAINERS, ("x86_64", "arm64")) == []
    for artefact in listed:
        content = (stubs.cache / f"{artefact.sha256}-{artefact.file_name}").read_bytes()
        assert hashlib.sha256(content).hexdigest() == artefact.sha256
        assert len(content) == artefact.size_bytes
        assert "standin" in artefact.version


def test_artefacts_are_reproducible(stubs: container_stubs.ContainerStubs, tmp_path: Path) -> None:
    again = container_stubs.create(tmp_path / "again")
    assert read_lock(again.lock) == read_lock(stubs.lock)


def test_package_is_valid_for_dpkg(stubs: container_stubs.ContainerStubs) -> None:
    (package,) = stubs.cache.glob("*.deb")
    content = package.read_bytes()
    assert content.startswith(b"!<arch>\ndebian-binary   ")
    if shutil.which("dpkg-deb"):
        words = ["dpkg-deb", "--field", str(package), "Package", "Version"]
        printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert printed == "Package: enroot\nVersion: 0-standin\n"
        files = subprocess.run(
            ["dpkg-deb", "--contents", str(package)], capture_output=True, text=True, check=True
        ).stdout
        assert "-rwxr-xr-x root/root" in files or "-rwxr-xr-x 0/0" in files
        assert "./usr/bin/enroot" in files


def test_source_archive_has_the_layout_of_pyxis(stubs: container_stubs.ContainerStubs) -> None:
    (source,) = stubs.cache.glob("*.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(source.read_bytes())) as archive:
        assert {"pyxis-0-standin/Makefile", "pyxis-0-standin/spank_pyxis.c"} <= set(
            archive.getnames()
        )

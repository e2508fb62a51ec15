"""Files from the cluster's bucket, and their verification."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

import pytest
from clusterwright_node import artefacts
from clusterwright_node.contract import Artefact
from clusterwright_node.errors import StepError

from tests.nodes.stub_node import stub_node

SHA256 = hashlib.sha256(b"content").hexdigest()


def artefact(architecture: str = "x86_64", sha256: str | None = SHA256) -> Artefact:
    return Artefact("enroot", "3.5.0", architecture, "enroot.deb", sha256, 7, ("containers",))


def node_with(*files: Artefact, uname: str = "x86_64", **content: str) -> Any:
    listed = SimpleNamespace(bucket="b", files=files)
    inputs = SimpleNamespace(cluster=SimpleNamespace(artefacts=listed))
    return stub_node({"uname -m": uname + "\n"}, content, inputs=inputs)


def test_paths_have_the_checksum() -> None:
    assert artefacts.key_of(artefact()) == f"artefacts/{SHA256}/enroot.deb"
    assert artefacts.path_of(artefact()) == (
        f"/var/lib/clusterwright/artefacts/{SHA256}/enroot.deb"
    )


def test_a_file_without_a_checksum_is_not_installed() -> None:
    for function in (artefacts.key_of, artefacts.path_of):
        with pytest.raises(StepError, match="files without a checksum are not installed"):
            function(artefact(sha256=None))


def test_files_of_the_architecture() -> None:
    here, other, both = artefact(), artefact("arm64"), artefact("any")
    node = node_with(here, other, both)
    assert artefacts.wanted(node) == [here, both]
    assert artefacts.files_for(node, "containers") == [here, both]
    assert artefacts.files_for(node, "metrics") == []
    assert artefacts.wanted(node_with(here, other, uname="aarch64")) == [other]


def test_without_a_list_nothing_is_wanted() -> None:
    inputs = SimpleNamespace(cluster=SimpleNamespace(artefacts=None))
    assert artefacts.wanted(stub_node(inputs=inputs)) == []


def test_an_unknown_architecture() -> None:
    with pytest.raises(StepError, match="the architecture riscv64 is not supported"):
        artefacts.architecture(node_with(uname="riscv64"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({}, "/f does not exist"),
        ({"/f": "other"}, "it has 5 bytes, expected 7"),
        ({"/f": "changed"}, "it has SHA-256 "),
        ({"/f": "content"}, None),
    ],
)
def test_verification(content: dict[str, str], reason: str | None) -> None:
    found = artefacts.why_not_right(stub_node({}, content), artefact(), "/f")
    assert found is None if reason is None else str(found).startswith(reason)

"""Dockerfiles, from a stack and a list of archives."""

from __future__ import annotations

import re

import pytest

from clusterwright.artefacts.lock import Artefact, pinned, read_lock
from clusterwright.container_images.dockerfile import UnpinnedError, build_files, is_pinned
from clusterwright.container_images.stacks import STACKS, Stack
from tools.lint.files import ROOT

BASE = "nvcr.io/nvidia/cuda@sha256:" + "0123456789abcdef" * 4


@pytest.fixture
def archives() -> tuple[Artefact, ...]:
    found = read_lock(ROOT / "images/artefacts.json")
    return tuple(pinned(each, f"{number:064x}", 1) for number, each in enumerate(found))


def dockerfile(stack: Stack, archives: tuple[Artefact, ...], base: str | None = BASE) -> str:
    image = build_files(stack, base, archives, ("10.0", "9.0"), "torch", list_file="list.json")
    return image.files["Dockerfile"]


@pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack.name)
def test_instructions(stack: Stack, archives: tuple[Artefact, ...]) -> None:
    text = dockerfile(stack, archives)
    logical = re.sub(r"\\\n", "", text)
    words = [line.split()[0] for line in logical.splitlines() if line and line[0] != "#"]
    assert words[0] == "FROM"
    assert set(words) <= {"FROM", "ENV", "RUN", "ADD", "COPY"}
    assert len([line for line in logical.splitlines() if line.startswith("FROM")]) == 1
    at = [text.index(f"/tmp/{name}.tar.gz") for name in stack.archives]
    assert at == sorted(at)


def test_packages_without_wheels_are_built_with_their_checksums() -> None:
    listed = (
        "# list\na==1 \\\n    --hash=sha256:aa\n    # via b\nb-c==2 \\\n    --hash=sha256:bb\n"
    )
    stack = Stack("x", "X", "base", (), (), "x", sources=("b-c",))
    image = build_files(stack, BASE, (), ("9.0",), listed, list_file="list.json")
    assert image.files["requirements.txt"] == (
        "# list\na==1 \\\n    --hash=sha256:aa\n    # via b\n"
    )
    assert image.files["sources.txt"] == "b-c==2 \\\n    --hash=sha256:bb\n"
    text = image.files["Dockerfile"]
    assert "--require-hashes --no-deps --only-binary=:all:" in text
    assert "--require-hashes --no-deps --no-build-isolation" in text


def test_an_image_for_trainium_keeps_the_base_image_s_libraries(
    archives: tuple[Artefact, ...],
) -> None:
    stack = next(one for one in STACKS if one.accelerators == "neuron")
    text = dockerfile(stack, archives)
    assert "cuda" not in text.replace("nvcr.io/nvidia/cuda@", "")
    assert "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" in text


def test_code_is_made_for_every_gpu_of_the_cluster(archives: tuple[Artefact, ...]) -> None:
    wanted = "-gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_100,code=sm_100"
    assert f'NVCC_GENCODE="{wanted}"' in dockerfile(STACKS[0], archives)


def test_an_archive_that_is_not_listed_is_refused(archives: tuple[Artefact, ...]) -> None:
    with pytest.raises(UnpinnedError, match=r"list\.json has no artefact efa-installer"):
        dockerfile(STACKS[0], archives[1:])
    with pytest.raises(UnpinnedError, match="digest of the base image is unknown"):
        dockerfile(STACKS[0], archives, None)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (BASE, True),
        (BASE.replace("@", ":13.0@"), True),
        (BASE[:-1], False),
        ("nvcr.io/nvidia/cuda:13.0", False),
        ("cuda@sha256:" + "0" * 64, False),
        (BASE + "\nRUN true", False),
    ],
)
def test_pinned(image: str, expected: bool) -> None:
    assert is_pinned(image) is expected

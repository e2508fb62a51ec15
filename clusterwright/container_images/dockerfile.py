"""The Dockerfile of an image, for the GPUs of a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.artefacts.lock import Artefact
from clusterwright.container_images.stacks import Stack

REQUIREMENTS: Final = "requirements.txt"
SOURCES: Final = "sources.txt"
_PINNED: Final = re.compile(r"[a-z0-9][a-z0-9.:-]*/[a-z0-9._/-]+(?::[\w.-]+)?@sha256:[0-9a-f]{64}")
# Triton compiles against the headers of Python in each job that uses it.
_HEAD: Final = """\
# syntax=docker/dockerfile:1
# {title}, written by: clusterwright render images --image {name}
# Base image, archives and Python packages are pinned; Ubuntu's packages are those of its
# repositories. Not tried on AWS.
FROM {base}

ENV DEBIAN_FRONTEND=noninteractive \\
    LD_LIBRARY_PATH={libraries} \\
    PATH={programs}:$PATH
RUN apt-get update \\
 && apt-get install --yes --no-install-recommends \\
      build-essential ca-certificates libhwloc-dev openssh-client openssh-server \\
      python3 python3-dev python3-venv \\
 && rm --recursive --force /var/lib/apt/lists/*
"""
_PATHS: Final = {
    "nvidia": (
        "/opt/aws-ofi-nccl/lib:/opt/nccl/lib:/opt/amazon/efa/lib:/opt/amazon/openmpi/lib"
        ":/usr/local/cuda/lib64",
        "/opt/amazon/openmpi/bin:/opt/amazon/efa/bin:/opt/venv/bin",
    ),
    # Python, the compiler and the runtime are those of the base image.
    "neuron": (
        "/opt/amazon/efa/lib:/opt/amazon/openmpi/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
        "/opt/amazon/openmpi/bin:/opt/amazon/efa/bin",
    ),
}
"""Folders of libraries and of programs."""
_ARCHIVE: Final = """\
# {name} {version}
ADD --checksum=sha256:{sha256} {url} /tmp/{name}.tar.gz
RUN mkdir /tmp/{name} \\
 && tar --extract --file=/tmp/{name}.tar.gz --directory=/tmp/{name} --strip-components=1 \\
 && cd /tmp/{name} \\
{steps} \\
 && rm --recursive --force /tmp/{name} /tmp/{name}.tar.gz
"""
_STEPS: Final[Mapping[str, Sequence[str]]] = {
    # The kernel module and the limits are the node's.
    "efa-installer": (
        "apt-get update",
        "./efa_installer.sh -y --skip-kmod --skip-limit-conf --no-verify",
        "rm --recursive --force /var/lib/apt/lists/*",
    ),
    "nccl": (
        'make --jobs="$(nproc)" src.build CUDA_HOME=/usr/local/cuda NVCC_GENCODE="{gencode}"',
        "make install PREFIX=/opt/nccl CUDA_HOME=/usr/local/cuda",
    ),
    "aws-ofi-nccl": (
        "./configure --prefix=/opt/aws-ofi-nccl --with-libfabric=/opt/amazon/efa "
        "--with-cuda=/usr/local/cuda --enable-platform-aws",
        'make --jobs="$(nproc)" install',
    ),
    "nccl-tests": (
        'make --jobs="$(nproc)" MPI=1 MPI_HOME=/opt/amazon/openmpi NCCL_HOME=/opt/nccl '
        'CUDA_HOME=/usr/local/cuda NVCC_GENCODE="{gencode}"',
        "mkdir --parents /opt/nccl-tests",
        "cp --recursive build /opt/nccl-tests/",
    ),
}
_PYTHON: Final = """\
# Wheels of PyTorch contain CUDA and NCCL; pip refuses a file with another checksum.
COPY requirements.txt /tmp/requirements.txt
RUN python3 -m venv /opt/venv \\
 && pip install --no-cache-dir --require-hashes --only-binary=:all: \\
      --requirement /tmp/requirements.txt \\
 && rm /tmp/requirements.txt
"""


_FROM_SOURCE: Final = """\
# The index has no wheels of these: setuptools, installed above, builds them.
COPY sources.txt /tmp/sources.txt
RUN pip install --no-cache-dir --require-hashes --no-deps --no-build-isolation \\
      --requirement /tmp/sources.txt \\
 && rm /tmp/sources.txt
"""
_ENTRY: Final = re.compile(r"^([a-z0-9._-]+)==.*?(?=^[a-z0-9]|\Z)", re.MULTILINE | re.DOTALL)


class UnpinnedError(Exception):
    """Something that the image is built from has no checksum; `hint` says how to pin it."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.hint = hint


@dataclass(frozen=True)
class Image:
    """The files of an image's build, by name."""

    stack: Stack
    files: Mapping[str, str]


def is_pinned(image: str) -> bool:
    """Whether an image is REGISTRY/REPOSITORY@sha256:DIGEST."""
    return _PINNED.fullmatch(image) is not None


def build_files(
    stack: Stack,
    base: str | None,
    artefacts: Iterable[Artefact],
    capabilities: Sequence[str],
    requirements: str | None,
    *,
    list_file: str,
) -> Image:
    """Return an image's Dockerfile, and its list of Python packages if it has one.

    Parameters
    ----------
    base:
        The base image with its digest; None if the user has stated none.
    artefacts:
        The list of archives, of which `list_file` is the name.
    capabilities:
        CUDA's compute capabilities of the cluster's GPUs: `9.0`.

    Raises
    ------
    UnpinnedError
        The base image has no digest, or an archive no checksum.
    """
    if base is None or not is_pinned(base):
        raise UnpinnedError(
            f"{stack.name}: the digest of the base image is unknown ({stack.base})",
            f"--base {stack.name}=REGISTRY/REPOSITORY@sha256:DIGEST, as `docker buildx imagetools "
            "inspect` prints it",
        )
    found = {each.name: each for each in artefacts}
    for name in stack.archives:
        if name not in found:
            raise UnpinnedError(
                f"{stack.name}: {list_file} has no artefact {name}", "restore its entry"
            )
        if found[name].sha256 is None:
            raise UnpinnedError(
                f"{stack.name}: the checksum of {found[name].label} is unknown",
                f"`clusterwright artefacts pin --lock {list_file}`, then review the file",
            )
    libraries, programs = _PATHS[stack.accelerators]
    head = _HEAD.format(
        title=stack.title, name=stack.name, base=base, libraries=libraries, programs=programs
    )
    parts = [head]
    parts += [_archive(found[name], _gencode(capabilities)) for name in stack.archives]
    files = {}
    if stack.requirements is not None:
        assert requirements is not None
        files[REQUIREMENTS], sources = _divided(requirements, stack.sources)
        # What remains to be built is missing: pip does not look at dependencies.
        parts.append(_PYTHON.replace(" --only", " --no-deps --only") if sources else _PYTHON)
        if sources:
            parts.append(_FROM_SOURCE)
            files[SOURCES] = sources
    return Image(stack, {"Dockerfile": "\n".join(parts), **files})


def _divided(requirements: str, names: Sequence[str]) -> tuple[str, str]:
    """A list without the packages of these names, and a list of them."""
    found = [entry for entry in _ENTRY.finditer(requirements) if entry[1] in names]
    for entry in found:
        requirements = requirements.replace(entry[0], "")
    return requirements, "".join(entry[0] for entry in found)


def _archive(artefact: Artefact, gencode: str) -> str:
    steps = " \\\n".join(f" && {step}" for step in _STEPS[artefact.name])
    return _ARCHIVE.format(
        name=artefact.name,
        version=artefact.version,
        sha256=artefact.sha256,
        url=artefact.url,
        steps=steps.replace("{gencode}", gencode),
    )


def _gencode(capabilities: Sequence[str]) -> str:
    numbers = sorted({capability.replace(".", "") for capability in capabilities}, key=int)
    return " ".join(f"-gencode=arch=compute_{n},code=sm_{n}" for n in numbers)

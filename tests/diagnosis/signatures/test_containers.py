"""Signatures of the family `containers`, with messages as pyxis and enroot write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

START = "slurmstepd: error: pyxis:     "
CASES = (
    ("srun: unrecognized option '--container-image=nvcr.io#nvidia/pytorch'", "pyxis-missing"),
    ('SPANK plugin "pyxis" option "container-mounts" not found', "pyxis-missing"),
    ("[ERROR] Command not found: fuse-overlayfs", "enroot-program"),
    (
        START + "enroot-mount: failed to mount: /fsx/data at /run/enroot/data: No such file or "
        "directory",
        "container-mount",
    ),
    (
        START + "enroot-switchroot: failed to execute: /entrypoint.sh: Permission denied",
        "container-program",
    ),
    (
        'runc create failed: exec: "python": executable file not found in $PATH',
        "container-program",
    ),
    (
        "pyxis: mkdir: cannot create directory '/scratch/enroot/cache': Permission denied",
        "enroot-directory",
    ),
    (
        "error: pyxis: couldn't mkdir /run/pyxis/1000: No such file or directory",
        "enroot-directory",
    ),
    ("slurmstepd: error: pyxis: failed to import docker image", "container-report"),
    (
        "FATAL:   container creation failed: failed to create user namespace: not permitted",
        "user-namespaces",
    ),
    ("FATAL:   container creation failed: mount /data: permission denied", "apptainer"),
    (
        "Error: setting up CDI devices: failed to inject devices: failed to stat CDI host device "
        '"/dev/dri/renderD129": no such file or directory',
        "cdi-devices",
    ),
    ("failed to load CDI Spec /etc/cdi/nvidia.yaml: unexpected end", "cdi-devices"),
    (
        'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
        "nvidia-runtime",
    ),
    ('failed to get sandbox runtime: no runtime for "nvidia" is configured', "nvidia-runtime"),
    (
        "enroot-nsenter: failed to create user namespace: Permission denied",
        "user-namespaces",
    ),
    (
        "[12.3] SQUASHFS error: Unable to read page, block 2702528, size 96d0",
        "image-damaged",
    ),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        "pyxis: importing docker image: nvcr.io#nvidia/pytorch:24.10-py3",
        "slurmstepd: pyxis:     [INFO] Creating squashfs filesystem...",
        "srun --container-image=/fsx/images/pytorch.sqsh --container-mounts=/fsx:/fsx train.sh",
        "enroot-mount: mounted /fsx/data at /run/enroot/data",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            "image driver mount failure: squashfuse_ll exited: fusermount: /dev/fuse: no such file",
            "the image of the container cannot be mounted",
        ),
        (
            "mount hook function failure: mount /fsx/data->/data error: while mounting /fsx/data: "
            "mount source /fsx/data doesn't exist",
            "a folder cannot be mounted",
        ),
        ("while setting uid_map: operation not permitted", "user namespaces"),
        ("odd", "the container cannot be made"),
    ],
)
def test_apptainer_says_what_it_was_doing(reason: str, said: str) -> None:
    (found,) = findings(*of_log(f"FATAL:   container creation failed: {reason}"))
    assert found.cause.startswith("container: Apptainer: ")
    assert said in found.cause

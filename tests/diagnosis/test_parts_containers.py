"""Messages of pyxis and enroot by their part."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_containers import PARTS, cause, enroot
from tests.diagnosis.made import findings, of_log

CASES = (
    ("Can't find a SQUASHFS superblock on /fsx/385.0.squashfs", "the file of an image (squashfs)"),
    ("--container-mounts: invalid format: x", "an option --container-*"),
    ("--container-mounts: source path does not exist: /a", "a source of --container-mounts"),
    ('error: a container with name "a" does not exist', "of this name does not exist"),
    ("File already exists: a", "exists already"),
    ("unknown configuration option: a", "the setting of pyxis"),
    ("Could not process JSON of the manifest", "cannot be imported"),
    ("failed to create container filesystem", "cannot be made from its image"),
    ("Unknown NVIDIA driver capability: a", "GPUs or interfaces"),
    ("container exited too soon", "did not start"),
    ("couldn't join user namespace: Operation not permitted", "made or joined"),
    ("failed to export container a to /b", "cannot be saved"),
    ("couldn't read container environment", "environment or the working directory"),
    ("epilog: couldn't get list of existing containers", "of an ended job"),
    ("couldn't mkdir /run/pyxis/1: Permission denied", "made or written"),
    ("Command not found: squash", "a program that enroot needs"),
)


@pytest.mark.parametrize(("message", "words"), CASES)
def test_message_is_of_its_part(message: str, words: str) -> None:
    assert words in (cause(message) or "")


def test_every_part_has_a_message_here_and_others_have_none() -> None:
    assert len(CASES) == len(PARTS)
    assert cause("frob") is None


def test_privilege_of_a_namespace_is_no_permission_of_a_file() -> None:
    (found,) = findings(
        *of_log("enroot-nsenter: failed to join mount namespace: Operation not permitted", job="7")
    )
    assert "namespaces cannot be made or joined" in found.cause
    assert "privilege" in found.cause


@pytest.mark.parametrize(
    "line",
    [
        "pyxis: importing docker image: docker://ghcr.io#org/error-analysis:1",
        "slurmstepd: pyxis: imported docker image: docker://ghcr.io#org/error-analysis:1",
        "pyxis:  creating container filesystem for failover-test",
        "pyxis: reusing existing container filesystem: not found-1",
        "pyxis: image docker://ghcr.io#org/error:1 is cached",
        "+ enroot create --name failover image.sqsh",
        "enroot import docker://ghcr.io#org/error-analysis:1",
    ],
)
def test_what_is_done_is_no_failure(line: str) -> None:
    assert findings(*of_log(line, job="7")) == ()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("401 Unauthorized", "refuses the credentials"),
        ("403 Forbidden", "refuses the credentials"),
        ("404 Not Found", "does not exist in the registry"),
        ("400 Bad Request", "refuses the request"),
        ("503 Service Unavailable", "the registry failed"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "slurmstepd: error: pyxis:     "])
def test_answer_of_a_registry_is_the_cause(prefix: str, status: str, words: str) -> None:
    message = f"URL https://registry-1.docker.io/v2/a/manifests/1 returned error code: {status}"
    (found,) = findings(*of_log(f"{prefix}[ERROR] {message}", job="7"))
    assert words in found.cause
    assert words in (cause(message) or "")
    assert "disk" not in found.cause
    assert "no such image" in found.cause or not status.startswith("401")


def test_cleaning_up_hides_no_later_failure() -> None:
    found = findings(
        *of_log(
            "pyxis: epilog: couldn't get list of containers\n"
            "pyxis: --container-mounts: invalid format: a",
            job="7",
        )
    )
    assert [f.signature for f in found] == ["container", "container"]


def test_what_the_system_answered_replaces_what_may_be_so() -> None:
    said = cause("failed to set capabilities: Operation not permitted", "enroot-aufs2ovlfs") or ""
    assert "privilege" in said
    assert "registry" not in said
    said = cause("could not remove squashfs /run/a.sqsh: No such file or directory") or ""
    assert "registry" in said


@pytest.mark.parametrize(
    "line", ["[ERROR] layer 3 has no gradient", "[ERROR] image data/00001.jpg is empty"]
)
def test_errors_of_a_training_program_are_none_of_enroot(line: str) -> None:
    assert all(f.signature != "container" for f in findings(*of_log(line, job="7")))


def test_error_of_enroot_is_named_whole() -> None:
    (found,) = findings(*of_log("[ERROR] Container already exists: pyxis_5", job="7"))
    assert "of this name exists already" in found.cause


def test_words_of_an_image_do_not_decide() -> None:
    said = cause("couldn't use docker://ghcr.io#org/overlay-mount-epilog:1 as environment") or ""
    assert "environment or the working directory" in said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[ERROR] Checksum validation failed", "cannot be imported"),
        ("[ERROR] URL https://a/v2 returned error code: 404 Not Found", "does not exist"),
        ("[ERROR] Unknown NVIDIA driver capability: a", "GPUs"),
        ("[ERROR] frob", None),
        ("2026-11-03 [ERROR] Checksum validation failed", None),
    ],
)
def test_line_of_the_command_of_enroot(line: str, words: str | None) -> None:
    said = enroot(line)
    assert said is None if words is None else words in (said or "")

"""CW-J100: Options of containers have values that Pyxis takes."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

SRUN = HEAD + "srun --container-image=nvcr.io#nvidia/pytorch:25.01-py3 {} python train.py\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--container-save=./", "--container-save=./ is a folder"),
        ("--container-save ..", "--container-save=.. is a folder"),
        ("--container-save=/fsx/images/", "--container-save=/fsx/images/ is a folder"),
        ("--container-save=", "--container-save has no value"),
        ("--container-mounts=data:/data", "data is not the source of a mount"),
        ("--container-mounts=/fsx:data", "data is not the target of a mount"),
        ("--container-mounts=/fsx,/data:", "a mount has no target"),
        ("--container-mounts=/fsx:/fsx:ro,rprivate", "rprivate is not the source of a mount"),
        ("--container-mounts=,/data", "a mount has no source"),
        ("--container-mounts=~/src:/src", "~/src is not the source of a mount"),
        ("--container-mounts ~/src:/src,~/data:/data", "~/data is not the source of a mount"),
        ("--container-mounts '~/src:/src'", "~/src is not the source of a mount"),
        ("--container-mounts /src:~/src", "~/src is not the target of a mount"),
        ("--container-name=a:new", "--container-name=a:new: Pyxis takes NAME, or NAME:USE"),
        ("--container-unshare=net,pid", "Pyxis has no namespace pid"),
        ("--container-env=A,,B", "--container-env=A,,B has an empty name"),
        (
            "--container-writable --container-readonly",
            "--container-writable and --container-readonly exclude each other",
        ),
        ("--container-writable true", "--container-writable has no value"),
    ],
)
def test_values_that_pyxis_refuses(options: str, message: str) -> None:
    assert message in fails("CW-J100", SRUN.format(options)).message


def test_options_of_the_job() -> None:
    image = "#SBATCH --container-image=/fsx/a.sqsh --container-mounts={}\n"
    text = HEAD + image + "python train.py\n"
    assert "fsx is not the source" in fails("CW-J100", text.format("fsx:/fsx")).message
    passes("CW-J100", text.format("/fsx:/fsx"))
    assert "~/a is not the source" in fails("CW-J100", text.format("~/a:/a")).message


def test_a_tilde_that_the_shell_replaces() -> None:
    passes(
        "CW-J100",
        "\n".join([HEAD, "MOUNTS=~/a:/a,/b:~/b", SRUN.format("--container-mounts=$MOUNTS")]),
    )


def test_flags_of_a_mount_have_plus_signs_between_them() -> None:
    found = fails("CW-J100", SRUN.format("--container-mounts=/fsx:/fsx:ro,rprivate"))
    assert (found.hint or "").endswith("SOURCE:TARGET:ro+rprivate")


@pytest.mark.parametrize(
    "options",
    [
        "--container-save=/fsx/images/new.sqsh",
        "--container-save=$OUT/",
        "--container-mounts=/fsx,/scratch:/data:ro+rprivate,./src:/src,tmpfs:/tmp/a",
        "--container-mounts=$MOUNTS",
        "--container-mounts ~/src:/src",
        "--container-name=a:exec --container-workdir=/src",
        "--container-unshare=net,ipc --container-env=A,B",
        "--container-writable --no-container-mount-home",
    ],
)
def test_values_that_pyxis_takes(options: str) -> None:
    passes("CW-J100", SRUN.format(options))
    passes("CW-J100", HEAD + "srun true\n")

"""CW-J088: Commands of containers are lists of words, and Kubernetes replaces `$(NAME)` only."""

from __future__ import annotations

import pytest

from tests.jobs.made_manifests import fails, passes, pod, pytorch_job

ENV = [{"name": "STEPS", "value": "100"}]


def with_command(command: list[str], kind: str = "PyTorchJob", value: str = "100") -> str:
    made = pod()
    made["containers"][0] |= {"command": command, "env": [{"name": "STEPS", "value": value}]}
    return pytorch_job(made).replace("PyTorchJob", kind)


def test_program_with_its_arguments() -> None:
    found = fails("CW-J088", with_command(["torchrun --nnodes=2 train.py"]))
    assert found.severity == "error"
    assert found.hint == 'a list: ["torchrun", "--nnodes=2", "train.py", ...], or bash -c'


@pytest.mark.parametrize("text", ["--steps=$STEPS", "--steps=${STEPS}", "tcp://$MASTER_ADDR:1"])
def test_variables_that_no_shell_replaces(text: str) -> None:
    found = fails("CW-J088", with_command(["python", "train.py", text]))
    assert found.severity == "warning"
    assert "the program gets the text $" in found.message


@pytest.mark.parametrize(
    "command",
    [
        ["python", "train.py", "--steps=$(STEPS)"],
        ["bash", "-c", "python train.py --steps=$STEPS"],
        ["python", "train.py", "--price=$$STEPS", "--template=$OTHER"],
    ],
)
def test_commands(command: list[str]) -> None:
    passes("CW-J088", with_command(command))


def test_what_others_fill_in_or_run_in_a_shell() -> None:
    passes("CW-J088", with_command(["python", "train.py", "$STEPS"], value="$STEPS"))
    passes("CW-J088", with_command(["ray start --head"], kind="RayCluster"))


def test_spaces_and_dollars_that_are_meant() -> None:
    passes("CW-J088", with_command(["/opt/my folder/run.sh", "-x"]))
    passes("CW-J088", with_command(["awk", "{print $STEPS}"]))
    passes("CW-J088", with_command(["python", "-c", "print('$STEPS')"]))

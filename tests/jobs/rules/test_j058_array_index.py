"""CW-J058: Every task of an array has an entry in the list that it reads."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

LIST = "MODELS=(\n  tiny  # the first\n  'mid size'\n  large\n)\n"


def test_message() -> None:
    text = HEAD + "#SBATCH --array=0-3\n" + LIST + "srun a ${MODELS[$SLURM_ARRAY_TASK_ID]}\n"
    found = fails("CW-J058", text)
    assert found.message == (
        "task 3 of the array takes entry 3 of MODELS, which has 3, from 0 to 2"
    )
    assert (found.severity, found.hint) == ("warning", "--array=0-2")


@pytest.mark.parametrize(
    ("array", "index"),
    [
        ("1-3", "$SLURM_ARRAY_TASK_ID"),
        ("0-5%2", "SLURM_ARRAY_TASK_ID"),
        ("0,7", "${SLURM_ARRAY_TASK_ID}"),
        ("0-3", "$SLURM_ARRAY_TASK_ID - 1"),
        ("1-4", "$((SLURM_ARRAY_TASK_ID - 1))"),
        ("0-2", "SLURM_ARRAY_TASK_ID+1"),
    ],
)
def test_beyond_the_list(array: str, index: str) -> None:
    text = HEAD + f"#SBATCH --array={array}\n{LIST}" + 'srun a "${MODELS[' + index + ']}"\n'
    fails("CW-J058", text)


@pytest.mark.parametrize(
    ("array", "index"),
    [
        ("0-2", "$SLURM_ARRAY_TASK_ID"),
        ("1-3", "$((SLURM_ARRAY_TASK_ID - 1))"),
        ("0-9:4", "$SLURM_ARRAY_TASK_ID / 4"),
        ("0-9", "SLURM_ARRAY_TASK_ID % 3"),
        ("$N", "$SLURM_ARRAY_TASK_ID"),
    ],
)
def test_within_the_list(array: str, index: str) -> None:
    text = HEAD + f"#SBATCH --array={array}\n{LIST}" + 'srun a "${MODELS[' + index + ']}"\n'
    passes("CW-J058", text)


@pytest.mark.parametrize(
    "text",
    [
        "MODELS=(a b)\nMODELS+=(c d e f)\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a $(ls))\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a /fsx/*)\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\n((SLURM_ARRAY_TASK_ID < ${#MODELS[@]})) || exit 0\n"
        "srun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\n# srun a ${MODELS[$SLURM_ARRAY_TASK_ID]}\nsrun a",
        "MODELS=(a b)\nmapfile -t MODELS <models\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a#b c d#e f)\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\nsrun a ${OTHERS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]:-a}",
        "MODELS=(a b\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
    ],
)
def test_what_the_file_does_not_determine(text: str) -> None:
    passes("CW-J058", HEAD + "#SBATCH --array=0-3\n" + text + "\n")


def test_without_an_array() -> None:
    passes("CW-J058", HEAD + "A=(a)\nsrun a ${A[$SLURM_ARRAY_TASK_ID]}\n")

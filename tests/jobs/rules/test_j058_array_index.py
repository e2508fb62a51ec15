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
        "declare -A MODELS=(0 a 1 b 2 c 3 d)\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\nunset MODELS\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\nsrun a ${OTHERS[$SLURM_ARRAY_TASK_ID]}",
        "MODELS=(a b)\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]:-a}",
        "MODELS=(a b\nsrun a ${MODELS[$SLURM_ARRAY_TASK_ID]}",
    ],
)
def test_what_the_file_does_not_determine(text: str) -> None:
    passes("CW-J058", HEAD + "#SBATCH --array=0-3\n" + text + "\n")


READ = "srun a ${LR[$SLURM_ARRAY_TASK_ID]}\n"


@pytest.mark.parametrize(
    "text",
    [
        "if [ $SLURM_ARRAY_TASK_ID -lt 2 ]; then\n  " + READ + "fi",
        "[ $SLURM_ARRAY_TASK_ID -gt 1 ] && exit 0\n" + READ,
        "[[ -n $USER && $SLURM_ARRAY_TASK_ID -gt 1 ]] && exit 0\n" + READ,
        "test $SLURM_ARRAY_TASK_ID -lt 2 || exit 0\n" + READ,
        "TASK=$SLURM_ARRAY_TASK_ID\nif ((TASK > 1)); then exit; fi\n" + READ,
        "case $SLURM_ARRAY_TASK_ID in\n  [01]) " + READ + "  ;;\nesac",
        "known $SLURM_ARRAY_TASK_ID || exit 0\n" + READ,
        "stop() {\n  [ $1 -lt 2 ] || exit 0\n}\nstop $SLURM_ARRAY_TASK_ID\n" + READ,
        'X=${LR[$SLURM_ARRAY_TASK_ID]}\nif [ -z "$X" ]; then exit 0; fi\nsrun a $X',
        "X=${LR[$SLURM_ARRAY_TASK_ID]}\nsrun a ${X:-1e-4}",
        "X=${LR[$SLURM_ARRAY_TASK_ID]}\nsrun a ${X:?}",
    ],
)
def test_task_is_compared(text: str) -> None:
    passes("CW-J058", HEAD + "#SBATCH --array=0-3\nLR=(1e-4 2e-4)\n" + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "SLURM_ARRAY_TASK_ID=$((SLURM_ARRAY_TASK_ID - 1))",
        "export SLURM_ARRAY_TASK_ID=0",
        "((SLURM_ARRAY_TASK_ID >= 2)) && SLURM_ARRAY_TASK_ID=0",
        "((SLURM_ARRAY_TASK_ID -= 2))",
        "let SLURM_ARRAY_TASK_ID/=2",
        ": $((SLURM_ARRAY_TASK_ID %= 2))",
        ": $((--SLURM_ARRAY_TASK_ID))",
        "read SLURM_ARRAY_TASK_ID <task",
        "for SLURM_ARRAY_TASK_ID in 0 1; do",
    ],
)
def test_task_is_assigned(text: str) -> None:
    end = "done\n" if text.endswith("do") else ""
    text = f"LR=(1e-4 2e-4)\n{text}\n{READ}{end}"
    passes("CW-J058", HEAD + "#SBATCH --array=0-3\n" + text)


@pytest.mark.parametrize(
    "text",
    [
        "if [ -d /fsx ]; then\n  cd /fsx\nfi\n" + READ,
        "export SLURM_ARRAY_TASK_ID\n" + READ,
        "for epoch in 1 2; do\n  " + READ + "done",
        'echo "test $SLURM_ARRAY_TASK_ID"\n' + READ,
        "srun a --split test --lr ${LR[$SLURM_ARRAY_TASK_ID]} || exit 1",
        "OUT=/fsx/${SLURM_ARRAY_TASK_ID:-0}\n" + READ,
    ],
)
def test_task_is_used_otherwise(text: str) -> None:
    fails("CW-J058", HEAD + "#SBATCH --array=0-3\nLR=(1e-4 2e-4)\n" + text + "\n")


def test_branch_of_another_test() -> None:
    text = 'LR=(1e-4 2e-4)\nif [ "$MODE" = lr ]; then\n  ' + READ + "fi\n"
    passes("CW-J058", HEAD + "#SBATCH --array=0-3\n" + text)
    text = 'if [ "$MODE" = lr ]; then\n  LR=(1e-4 2e-4)\nfi\n' + READ
    passes("CW-J058", HEAD + "#SBATCH --array=0-3\n" + text)


@pytest.mark.parametrize("shell", ["/bin/zsh", "/bin/sh", "/usr/bin/env ksh"])
def test_other_shells(shell: str) -> None:
    text = HEAD.replace("/bin/bash", shell) + "#SBATCH --array=1-3\nLR=(a b c)\n" + READ
    passes("CW-J058", text)
    fails("CW-J058", text.replace(shell, "/usr/bin/env bash"))


def test_here_document() -> None:
    text = "LR=(1e-4 2e-4)\n" + READ
    for sign in ("EOF", "'EOF'"):
        inside = f"cat <<{sign} >job.sh\n{text}EOF\n"
        passes("CW-J058", HEAD + "#SBATCH --array=0-3\n" + inside)
    fails("CW-J058", HEAD + "#SBATCH --array=0-3\ncat <<EOF\nhello\nEOF\n" + text)


def test_parenthesis_in_a_comment() -> None:
    text = HEAD + "#SBATCH --array=1-2\nLR=(a\n b # the second )\n c)\n" + READ
    passes("CW-J058", text)
    found = fails("CW-J058", text.replace("1-2", "1-3"))
    assert found.message.endswith("entry 3 of LR, which has 3, from 0 to 2")


def test_without_an_array() -> None:
    passes("CW-J058", HEAD + "A=(a)\nsrun a ${A[$SLURM_ARRAY_TASK_ID]}\n")

"""What a job file does with the number of an array's task."""

from __future__ import annotations

import pytest

from clusterwright.jobs import array_task
from clusterwright.jobs.array_task import TASK
from clusterwright.jobs.lexer import lex
from clusterwright.jobs.shell import read_script


def dependents(text: str) -> set[str]:
    return set(array_task.dependents(lex(text).tokens, read_script(text, {}), {TASK}))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A=$SLURM_ARRAY_TASK_ID\nB=x$A\nC=$D", {"A", "B"}),
        ("B=x$A\nA=$SLURM_ARRAY_TASK_ID", {"A", "B"}),
        ("export A=${L[$SLURM_ARRAY_TASK_ID]}", {"A"}),
        ("A=(--fold $SLURM_ARRAY_TASK_ID)", {"A"}),
        ("A=${B:-$SLURM_ARRAY_TASK_ID}", {"A"}),
        ('read -r A B <<<"${L[$SLURM_ARRAY_TASK_ID]}"', {"A", "B"}),
        ("printf -v A %03d $SLURM_ARRAY_TASK_ID", {"A"}),
        ("for A in 0 $SLURM_ARRAY_TASK_ID; do", {"A"}),
        ("((A = SLURM_ARRAY_TASK_ID % 2))", {"A"}),
        ("let A=SLURM_ARRAY_TASK_ID-1", {"A"}),
        ("# A=$SLURM_ARRAY_TASK_ID\ncat <<EOF\nB=$SLURM_ARRAY_TASK_ID\nEOF", set()),
        ("f() {\n  local A=$1\n}\nf $SLURM_ARRAY_TASK_ID", {"A"}),
        ("A=SLURM\necho $SLURM_ARRAY_TASK_ID", set()),
    ],
)
def test_dependents(text: str, names: set[str]) -> None:
    assert dependents(text + "\n") == {TASK, *names}


def test_lines() -> None:
    text = "a b # c\nd &&\n\n  e\ncat <<EOF\nf\nEOF\n"
    found = array_task.statements(lex(text).tokens)
    assert [[one.literal or one.operator for one in line] for line in found] == [
        ["a", "b"],
        ["d", "&&", "e"],
        ["cat"],
    ]


def test_outside_of_branches() -> None:
    text = "a\nfor i in 1; do\n  if b; then\n    c\n  fi\n  d\ndone\nwhile e; do f; done\ng\n"
    found = {one.literal for one in array_task.unconditional(lex(text).tokens)}
    assert {"a", "d", "g"} <= found
    assert found.isdisjoint({"b", "c", "e", "f"})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[ $A = 1 ] && exit", True),
        ("if known $A; then", True),
        ("((A > 1))", True),
        ("case $A in", True),
        ('echo "test $A"', False),
        ("srun a --split test $A", False),
    ],
)
def test_conditions(line: str, expected: bool) -> None:
    (statement,) = array_task.statements(lex(line + "\n").tokens)
    assert array_task.tests(statement) is expected
    assert bool(array_task.tested(statement, {"A"})) is expected
    assert not array_task.tested(statement, {"B"})


@pytest.mark.parametrize("text", ["export SLURM_ARRAY_TASK_ID", "A=$((SLURM_ARRAY_TASK_ID == 1))"])
def test_not_assigned(text: str) -> None:
    assert not array_task.assigned(lex(text).tokens)
    assert array_task.assigned(lex(text + "\nSLURM_ARRAY_TASK_ID=0\n").tokens)

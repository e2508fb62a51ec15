"""Options of sbatch and srun, as getopt_long reads them."""

from __future__ import annotations

import pytest

from clusterwright.jobs.options import SBATCH, SRUN, Table, read_options
from clusterwright.jobs.shell import Word


def read(text: str, table: Table = SBATCH) -> tuple[dict[str, str], list[str], list[str]]:
    words = [Word(word, 1, 1, len(word)) for word in text.split()]
    options, mistakes, rest = read_options(words, table)
    return {o.name: o.value for o in options}, [m.kind for m in mistakes], [w.text for w in rest]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--time=1", {"time": "1"}),
        ("--time 1", {"time": "1"}),
        ("-t1", {"time": "1"}),
        ("-t 1", {"time": "1"}),
        ("--exclusive", {"exclusive": ""}),
        ("--exclusive=user", {"exclusive": "user"}),
        ("--exclusive user", {"exclusive": ""}),
        ("-HQ -N 2", {"hold": "", "quiet": "", "nodes": "2"}),
        ("--part x", {"partition": "x"}),
        ("-exclusive", {"error": "xclusive"}),
        ("--container-image=a", {"container-image": "a"}),
    ],
)
def test_forms(text: str, expected: dict[str, str]) -> None:
    found, mistakes, _ = read(text)
    assert (found, mistakes) == (expected, [])


@pytest.mark.parametrize(
    ("text", "kind"),
    [("--tme=1", "unknown"), ("--gpus-per=1", "ambiguous"), ("-t", "argument"), ("-Y", "unknown")],
)
def test_mistakes(text: str, kind: str) -> None:
    assert read(text)[1] == [kind]


def test_srun_ends_at_the_program() -> None:
    found, mistakes, rest = read("-l -K1 --auto-resume=1 -W 0 torchrun --nnodes 2", SRUN)
    assert found == {"label": "", "kill-on-bad-exit": "1", "auto-resume": "1", "wait": "0"}
    assert (mistakes, rest) == ([], ["torchrun", "--nnodes", "2"])
    assert read("-N1 -- -x", SRUN)[2] == ["-x"]


def test_long_and_short_names_agree() -> None:
    for table in (SBATCH, SRUN):
        assert set(table.short.values()) <= table.long.keys()

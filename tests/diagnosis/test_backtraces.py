"""Backtraces of native programs as one line of evidence."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.backtraces import HEAD, Backtraces

GLIBC = "[ip-10-1-0-5:00412] [{index:>2}] /opt/amazon/openmpi5/lib/lib.so.40({name}+0x84)[0x7f2b]"
UCX = "{rank}: {index:>2}  /lib/x86_64-linux-gnu/lib.so.40({name}+0xaa) [0x7ff70b46a73a]"
FUNCTIONS = ("mca_pml_ob1_recv_frag_callback_match", "", "ompi_mpi_init", "MPI_Init")
NAMED = " < ".join(name for name in FUNCTIONS if name)


def read(*lines: str) -> list[tuple[str, int]]:
    backtraces = Backtraces()
    found = [one for number, line in enumerate(lines, 1) for one in backtraces.read(line, number)]
    return [*found, *backtraces.end()]


def frames(form: str, **values: object) -> list[str]:
    return [form.format(index=n, name=name, **values) for n, name in enumerate(FUNCTIONS)]


@pytest.mark.parametrize("form", [GLIBC, UCX.replace("{rank}", "3")])
def test_frames_are_one_line(form: str) -> None:
    lines = ["starting", *frames(form), "srun: error: task 1: Segmentation fault"]
    assert read(*lines) == [(HEAD + NAMED, 2)]


def test_ranks_are_kept_apart() -> None:
    """srun --label mixes the lines of ranks."""
    first, second = frames(UCX, rank=1), frames(UCX, rank=2)[::-1]
    mixed = [line for pair in zip(first, second, strict=True) for line in pair]
    mixed[3:3] = ["0: step 17", "a line without a rank"]
    found = read(*mixed)
    backwards = " < ".join(reversed(NAMED.split(" < ")))
    assert sorted(found) == sorted([(HEAD + NAMED, 1), (HEAD + backwards, 2)])


def test_other_lines_are_no_frames() -> None:
    assert read("a (b+0x1f)", "[1] (main+0x1)[0x2] and more", "f(x) [0x12]") == []
    assert read(UCX.format(rank=1, index=0, name="one")) == []


def test_long_backtraces_and_lines_are_bounded() -> None:
    endless = [UCX.format(rank=1, index=n, name=f"f{n}") for n in range(500)]
    ((text, number),) = read(*endless)
    assert (text.count(" < "), number) == (59, 1)
    assert read("(" * 1_000_000, "x" * 1_000_000 + "(f+0x1)[0x2]") == []
    many = [UCX.format(rank=n, index=0, name="f") for n in range(2000)]
    backtraces = Backtraces()
    for number, line in enumerate(many):
        list(backtraces.read(line, number))
    assert len(backtraces._open) == 1000

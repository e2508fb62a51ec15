"""Help texts of MPI by subject."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.mpi_help import PARTS, warns, wrong
from tests.diagnosis.made import findings, of_log

_RULE = "-" * 74
CASES = (
    ("A requested component was not found, or was unable to be opened.", "is not installed"),
    ("It looks like pmix_init failed for some reason", "PMIx cannot be initialised"),
    ("The call to cuMemcpyAsync failed. This is a unrecoverable error", "a call of CUDA"),
    ("PRTE was unable to open the hostfile:", "the hosts of mpirun"),
    ("A rank is missing its location specification: Rank file: a", "placed or bound"),
    ("PRTE was unable to reliably start one or more daemons.", "on the other nodes"),
    ("PRTE tried to fork a new process via the execve system call", "cannot be started on a node"),
    ("PRTE: the session directory is shared", "temporary data"),
    ("No usable network interfaces were found on this host", "interfaces or ports"),
    ("Open MPI failed an OFI Libfabric library call (a).", "its network library"),
    ("The function MPI_FINALIZE was invoked multiple times", "wrongly"),
    ("Open MPI failed to open the /dev/knem device", "memory between processes"),
    ("A library call unexpectedly failed. This is a terminal error", "within the library"),
)


@pytest.mark.parametrize(("text", "words"), CASES)
def test_text_is_of_its_subject(text: str, words: str) -> None:
    assert words in (wrong(text) or "")
    (found, *_) = findings(*of_log(f"{_RULE}\n{text}\n{_RULE}"))
    assert "MPI" in found.cause


def test_every_subject_has_a_text_here() -> None:
    assert {wrong(text) for text, _ in CASES} == {one.wrong for one in PARTS}
    assert wrong("frob") is None


def test_warning_is_no_cause() -> None:
    text = (
        "WARNING: An invalid value was given for oob_tcp_if_include. This value will be ignored."
    )
    assert warns(text)
    assert findings(*of_log(f"{_RULE}\n{text} (Open MPI)\n{_RULE}\nall is well\nyes\nyes")) == ()


def test_what_follows_from_a_text_is_of_it() -> None:
    text = (
        f"{_RULE}\nA requested component was not found, or was unable to be opened.\n"
        f"Framework: psec\nComponent: munge\n{_RULE}\n{_RULE}\n"
        f"It looks like pmix_init failed for some reason\n{_RULE}"
    )
    (found,) = findings(*of_log(text))
    assert "(framework psec, component munge)" in found.cause

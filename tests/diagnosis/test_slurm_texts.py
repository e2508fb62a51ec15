"""Meanings of the texts of `slurm_strerror`."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.slurm_texts import meaning


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Socket timed out on send/recv operation", "does not answer in time"),
        ("Rate limit exceeded, please retry momentarily", "rate limit"),
        ("Invalid job array specification", "MaxArraySize"),
        ("I/O error writing script/environment to file", "StateSaveLocation"),
        ("System submissions disabled", "disabled"),
        ("Access/permission denied", "may not do this"),
        ("MaxJobCount limit reached", "a limit of the cluster"),
        ("Job credential replayed", "different keys"),
        ("Invalid MPI type 'pmix', --mpi=list for acceptable types", "PMIx"),
        ("Spank plugin failure, node failed", "plug-in"),
        ("Unable to resolve user ID to user name", "users differ"),
        ("Unable to satisfy cpu bind request", "bound"),
        ("Can't find an address, check slurm.conf", "address"),
        ("Circular job dependency", "dependency"),
        ("Required nodes do not fit topology", "topology"),
        ("Required ports are in use", "ports"),
        ("Slurmd could not connect IO", "cannot start"),
        ("Unable to connect to database", "database"),
        ("More processors requested than permitted", "asks for"),
        ("Unspecified error", "without a reason"),
    ],
)
def test_text_has_a_meaning(text: str, words: str) -> None:
    assert words in (meaning(text) or "")


def test_other_text_has_no_meaning() -> None:
    assert meaning("frob") is None

"""Errors of Slurm's programs by their texts."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.slurm_errors import cause, fatal, launch


def test_cause_has_the_meaning_and_the_text() -> None:
    said = cause(
        {"reason": "Batch job submission failed: Rate limit exceeded, please retry later."}
    )
    assert said is not None
    assert said.startswith("Slurm: slurmctld refuses")
    assert said.endswith("please retry later")
    assert cause({"reason": "frobnicated"}) is None


def test_launch_names_the_node_with_or_without_a_meaning() -> None:
    known = launch({"on": "workers-1", "reason": "Invalid job credential"})
    assert known.startswith("Slurm could not start the job on workers-1: authentication failed")
    assert launch({"on": "workers-1", "reason": "frob"}).endswith("workers-1: frob")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("SallocDefaultCommand has been removed. Please consider setting", "does not have"),
        ("Can't find plugin for select/cons_res", "plug-in"),
        ("slurmrestd process lacks CAP_SETGID to drop supplementary groups", "capability"),
        ("auth/jwt: cannot stat '/etc/slurm/jwt.key': No such file or directory", "key"),
        ("the disk quota is exceeded", "full"),
    ],
)
def test_last_words_of_a_daemon_have_a_kind(reason: str, words: str) -> None:
    said = fatal({"reason": reason, "daemon": "slurmctld"})
    assert said.startswith("slurmctld ended: ")
    assert words in said.removesuffix(reason)


def test_last_words_without_a_kind_are_repeated() -> None:
    assert fatal({"reason": "goodbye"}) == "a Slurm daemon ended: goodbye"

"""Execution of the rules: positions, skipped rules, crashes, any text."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.jobs import engine
from clusterwright.jobs.registry import all_rules
from clusterwright.jobs.rule import Fail, Job, JobRule, Results
from clusterwright.preflight.results import EXIT_BUG
from tests.jobs.made import HEAD, check, made_job

PIECES = [
    "#SBATCH ", "--nodes=", "-N", "--time ", "--gres=gpu:", "$", "${", "$((", "$(", "`", "'", '"',
    "\\", "\n", "<<EOF", "EOF\n", "(", ")", "A=(", "export ", "srun ", "torchrun ", "--save ",
    "bash -c ", "docker://", "|", "&&", ";", "&", ">", "if ", "fi\n", "case ", "esac\n", "8", "-1",
    "--tensor-model-parallel-size ",
    "--num-layers ", "${A[@]}", "A+=", "=", " ", "\t", "\r\n", "#",
    "FI_PROVIDER=", "/home/x", "--signal=", "99999999999", "\0", "\ue000", "{{ x }}",
    "enroot import ",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_pieces_of_scripts_are_read(text: str) -> None:
    check("#!/bin/bash\n" + text)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    check(text)


def test_positions_and_documentation() -> None:
    result = check(HEAD + "#SBATCH -p gpus\nsrun a\n")
    finding = next(found for found in result.findings if found.rule == "CW-J010")
    assert finding.position is not None
    place = (finding.position.file, finding.position.line, finding.position.column)
    assert place == ("job.sbatch", 4, 9)
    assert finding.position.source_line == "#SBATCH -p gpus"
    assert finding.path == "--partition"
    assert finding.doc == "docs/reference/job-rules.md#cw-j010"


def test_selected_rules() -> None:
    job = made_job("#SBATCH -p gpus\n")
    result = engine.run(all_rules(), job, only=frozenset({"CW-J001", "CW-J010"}))
    assert {f.rule for f in result.findings} == {"CW-J001", "CW-J010"}
    assert result.count("skipped") == len(all_rules()) - 2
    left = engine.run(all_rules(), job, skip=frozenset({"CW-J001"}))
    assert "CW-J001" not in {f.rule for f in left.findings}


class Crashing(JobRule):
    """A rule with an error."""

    id = "CW-J999"
    severity = "error"
    prevents = "nothing at all"
    source = "this test"

    def check(self, job: Job) -> Results:
        yield Fail(message="found before", at=job.file.option("nodes"))
        raise ValueError(job.file.name)


def test_a_rule_that_crashes_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLUSTERWRIGHT_DEBUG", raising=False)
    result = engine.run((Crashing(), *all_rules()), made_job("hostname\n"))
    assert {f.rule for f in result.findings} >= {"CW-J999", "CW-J001"}
    (crashed,) = result.crashed
    assert crashed.crash == "ValueError: job.sbatch"
    assert result.exit_code() == EXIT_BUG


def test_the_same_file_has_the_same_findings() -> None:
    text = HEAD + "export FI_PROVIDER=tcp\nsrun torchrun train.py | tee log\n"
    one, other = (dataclasses.replace(check(text), seconds=0) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("text", ["a " * 20_000, "cat <<E\nx\nE\n" * 3_000, "echo $(a\n" * 5_000])
def test_time_grows_with_the_length(text: str) -> None:
    # A search from each word to the end would take minutes.
    assert check("#!/bin/bash\n" + text).seconds < 20

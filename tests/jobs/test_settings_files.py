"""Files of settings that a job file writes, or that lie beside it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from clusterwright.jobs.settings_files import settings
from tests.jobs.made import made_job

JOB = "#!/bin/bash\ncat > a.json <<E\n{}\nE\n"


def test_a_here_document_counts_before_a_file() -> None:
    job = replace(made_job(JOB.format('{"a": {"B": 1, "c": [2]}}')), beside=lambda _: "{}")
    assert settings(job, "a.json") == {"a.b": "1"}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("b.json", '{"x": true}', {"x": "True"}),
        ("b.yaml", "x: {y: false, z: 1.5}", {"x.y": "False", "x.z": "1.5"}),
        ("b.yml", "x: [", None),
        ("b.yml", "x: !!int ''", None),
        ("b.yml", "x: !!bool zz", None),
        ("b.yml", "? [{a: b}]\n: 1", None),
        ("b.yml", "x: !!timestamp zz", None),
        ("b.toml", "[x]\ny = 'z'", {"x.y": "z"}),
        ("b.toml", "[x", None),
        ("b.txt", "x", None),
        ("b.json", "[" * 100_000, None),
        ("b.json", "3", {"": "3"}),
    ],
)
def test_a_file_beside_the_job(name: str, text: str, expected: dict[str, str] | None) -> None:
    job = replace(made_job("#!/bin/bash\n"), beside=lambda found: text if found == name else None)
    assert settings(job, name) == expected


@pytest.mark.parametrize("name", ["/etc/a.json", "~/a.json", "$X/a.json"])
def test_only_files_below_the_folder_are_read(name: str) -> None:
    def read(found: str) -> str:
        raise AssertionError(found)

    assert settings(replace(made_job("#!/bin/bash\n"), beside=read), name) is None


def test_aliases_do_not_multiply() -> None:
    lines = ["a: &a {x: 1, y: 2}"] + [
        f"{b}: &{b} {{p: *{a}, q: *{a}, r: *{a}}}" for a, b in pairwise("abcdefghijklmno")
    ]
    job = replace(made_job("#!/bin/bash\n"), beside=lambda _: "\n".join(lines))
    assert len(settings(job, "x.yaml") or {}) <= 2_000

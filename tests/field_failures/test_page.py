"""The list of field failures agrees with the tests, and its page with the list."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tools.docs import field_failures
from tools.docs.field_failures import ListError


def test_every_named_test_exists_and_every_test_is_named() -> None:
    named = [entry.test for entry in field_failures.read(field_failures.LIST) if entry.test]
    assert sorted(named) == sorted(set(named)), "one test shows one failure"
    assert set(named) == set(field_failures.homes(field_failures.TESTS))


def test_no_value_of_the_list_ends_at_a_comment() -> None:
    """YAML begins a comment at ` #` in a value without quotes."""
    plain = re.compile(r"\s*(?:- )?\w+: (?![\"'\[{|>]).* #.*")
    lines = field_failures.LIST.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if plain.fullmatch(line)] == []


def test_every_test_of_the_folder_is_at_the_top_of_its_file() -> None:
    """The list would not find a test in a class."""
    for path in field_failures.TESTS.glob("test_*.py"):
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"))


def test_counts_include_reported_failures_only(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(
        "- {threads: [a/b#1, 'c#2'], what: one, caught: check, test: test_one}\n"
        "- {threads: [a/b#3], what: two, caught: not, later: more}\n"
        "- {threads: [a/b#4], what: three, caught: wish, reason: a wish}\n"
        "- {threads: [], source: code, what: four, caught: design, test: test_four}\n",
        encoding="utf-8",
    )
    tests = {"test_one": "test_a.py", "test_four": "test_b.py"}
    text = field_failures.page(field_failures.read(path), tests)
    assert "**1 of 2** reported failures (2 of 3 threads) are caught." in text
    assert (
        "| check | `clusterwright check`, `check-job`, `cost` or `destroy-plan` reports it "
        "| 1 | 2 | 0 |" in text
    )
    assert "| not | nothing catches it | 1 | 1 | 0 |" in text
    assert "[a/b#1](https://github.com/a/b/issues/1), c#2 |" in text
    assert "first sample" not in text.partition("The list has eleven samples")[0]
    more = "- {threads: [a/b#5], what: five, caught: not, later: more, sample: 2}\n"
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    both = field_failures.page(field_failures.read(path), tests)
    assert "before the product was built: 1 of 2 (3 threads)." in both
    assert "complete: 0 of 1 (1 threads); 0 of them without an added mechanism." in both
    with pytest.raises(ListError, match="there is no test test_one"):
        field_failures.page(field_failures.read(path), {})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{threads: [a/b#1], what: x, caught: luck}", "caught: luck is not valid"),
        ("{threads: [a/b#1], what: x, caught: check}", "caught, but without a test"),
        ("{threads: [a/b#1], what: x, caught: not}", "`later` is missing"),
        ("{threads: [a/b#1], what: x, caught: not, later: y, test: t}", "not caught, but with"),
        ("{threads: [], what: x, caught: not, later: y}", "neither threads nor a source"),
        ("{threads: [a/b], what: x, caught: not, later: y}", "a thread without a number"),
        ("{threads: [a/b#1], what: x, caught: wish}", "`reason` is required for wishes"),
        ("{threads: [a/b#1], what: x, caught: not, later: y, whom: z}", "unknown keys whom"),
        ("{threads: [a/b#1], what: x, caught: not, later: y, sample: 12}", "sample 12 is not"),
        (
            "{threads: [a/b#1], what: x, caught: not, later: y, built: true}",
            "not caught",
        ),
    ],
)
def test_incomplete_entry_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "list.yaml"
    path.write_text(f"- {entry}\n", encoding="utf-8")
    with pytest.raises(ListError, match=message):
        field_failures.read(path)


def test_a_thread_is_listed_once(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    entry = "{threads: [a/b#1], what: x, caught: not, later: y}"
    path.write_text(f"- {entry}\n- {entry}\n", encoding="utf-8")
    with pytest.raises(ListError, match="a/b#1 is listed twice"):
        field_failures.read(path)

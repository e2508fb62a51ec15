"""The words of the repository: retired phrases stay out, and its own terms are defined once."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import Any

import pytest
from ruamel.yaml import YAML

from clusterwright.diagnosis.literals import Expression
from tools.lint.files import ROOT, repository_files

_LIST = ROOT / "tests" / "repository" / "retired_words.yaml"
_GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"


def _entries() -> list[dict[str, Any]]:
    entries = YAML(typ="safe").load(_LIST)
    assert isinstance(entries, list)
    return entries


@pytest.fixture(scope="session")
def texts() -> dict[str, tuple[str, str]]:
    """Every text file of the repository except the list itself, also in lower case, by path."""
    found = {}
    for path in repository_files():
        data = path.read_bytes()
        if path != _LIST and b"\0" not in data:
            text = data.decode()
            found[path.relative_to(ROOT).as_posix()] = (text, text.lower())
    return found


@pytest.mark.parametrize("entry", _entries(), ids=lambda entry: entry["pattern"])
def test_no_retired_word_is_used(entry: dict[str, Any], texts: dict[str, tuple[str, str]]) -> None:
    # A phrase may be broken over two lines, of prose or of comments.
    phrase = Expression(entry["pattern"].replace(" ", r"\s+(?:[#*]\s+)?"), re.IGNORECASE)
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for name, (text, lowered) in texts.items()
        if phrase.has_words(lowered)
        and not any(fnmatch(name, glob) for glob in entry.get("except", ()))
        for match in phrase.pattern.finditer(text)
    ]
    assert not found, f"write {entry['use']!r} instead:\n" + "\n".join(found)


def test_no_name_in_python_has_a_retired_phrase(texts: dict[str, tuple[str, str]]) -> None:
    files: dict[str, set[str]] = {}
    for file, (text, _) in texts.items():
        if file.endswith(".py"):
            for name in re.findall(r"\b\w*[a-z]_[a-z]\w*\b", text):
                files.setdefault(name, set()).add(file)
    words = {name: name.strip("_").replace("_", " ").lower() for name in files}
    found = [
        f"{file}: {name}: write {entry['use']!r} instead"
        for entry in _entries()
        for phrase in [Expression(entry["pattern"], re.IGNORECASE)]
        for name, text in words.items()
        if phrase.search(text, text)
        for file in files[name]
        if not any(fnmatch(file, glob) for glob in entry.get("except", ()))
    ]
    assert not found, "\n".join(sorted(found))


def test_list_of_retired_words_is_complete_and_effective() -> None:
    for entry in _entries():
        assert entry.keys() <= {"pattern", "use", "except"}
        assert entry["use"]
    (egress,) = (entry for entry in _entries() if entry["use"] == "egress path")
    assert re.search(egress["pattern"], "a network without a way" + " out")


def test_glossary_defines_each_term_once_in_one_line() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", _GLOSSARY.read_text(), re.MULTILINE)[1:]
    terms = [term for term, _ in rows]
    assert terms == sorted(set(terms), key=str.lower)
    assert {
        *("spec", "world", "rehearsal", "scenario", "promise", "fact", "finding", "waiver"),
    } <= set(terms)
    assert all(definition.endswith(".") for _, definition in rows)

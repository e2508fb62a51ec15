"""Index of the rules on job files: every module of `rules/` whose name begins with an id has one
rule, the only class with that id.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from clusterwright.jobs.rule import ContainerRule, FileRule, JobRule, ManifestRule
from clusterwright.preflight.rule_names import UnknownRule

_PACKAGE: Final = "clusterwright.jobs.rules"
_FILE_NAME: Final = re.compile(r"(j\d{3})_\w+")


@cache
def all_rules() -> tuple[JobRule, ...]:
    """Return every rule on batch scripts, in the order of the ids. Raises TypeError."""
    return tuple(rule for rule in _rules() if isinstance(rule, JobRule))


@cache
def manifest_rules() -> tuple[ManifestRule, ...]:
    """Return every rule on manifests, in the order of the ids. Raises TypeError."""
    return tuple(rule for rule in _rules() if isinstance(rule, ManifestRule))


@cache
def rules_for_manifests() -> tuple[ManifestRule, ...]:
    """Return the rules on manifests, after those on batch scripts that hold for containers."""
    return (*(ContainerRule(rule) for rule in all_rules() if rule.containers), *manifest_rules())


def others(rules: Iterable[FileRule[Any]], ids: Iterable[str]) -> list[FileRule[Any]]:
    """Return the rules with the ids that are not among the rules: they read other files."""
    own = {rule.id for rule in rules}
    return [rule for rule in _rules() if rule.id in ids and rule.id not in own]


@cache
def _rules() -> tuple[FileRule[Any], ...]:
    """Return every rule.

    Raises
    ------
    TypeError
        A file has no rule, or one with another id, which is an internal error.
    """
    found = []
    for file in sorted((Path(__file__).parent / "rules").glob("*.py")):
        match = _FILE_NAME.fullmatch(file.stem)
        if match is not None:
            found.append(_rule(file.stem, f"CW-{match.group(1).upper()}"))
    return tuple(found)


def _rule(module_name: str, id_: str) -> FileRule[Any]:
    module = importlib.import_module(f"{_PACKAGE}.{module_name}")
    for item in vars(module).values():
        if isinstance(item, type) and issubclass(item, FileRule) and vars(item).get("id") == id_:
            return item()
    raise TypeError(f"{module_name} does not have the rule {id_}")


def named(names: Iterable[str]) -> frozenset[str]:
    """Return the rule ids of `names`, case-insensitive.

    Raises
    ------
    UnknownRule
        For the first name that is not the id of a rule.
    """
    ids = [rule.id for rule in _rules()]
    found = set()
    for name in names:
        if name.upper() not in ids:
            raise UnknownRule(name, ids)
        found.add(name.upper())
    return frozenset(found)

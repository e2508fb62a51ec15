"""Index of the rules: every module of `rules/<family>/` with an id in its name has one rule, the
only class with that id; every module `*_quotas.py` has a table of quota rules, RULES.

Ids and scopes are read from the files' names and texts, so that a rule that does not run is not
imported.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Literal

from clusterwright.preflight.rule import Rule
from clusterwright.preflight.rule_names import UnknownRule

_PACKAGE: Final = "clusterwright.preflight.rules"
_FILE_NAME: Final = re.compile(r"(([a-z]\d{3})_\w+)\.py")
_TABLE: Final = "_quotas.py"
_ROW: Final = re.compile(r'\n        id="(CW-Q\d{3})",')
_NEEDS: Final = re.compile(rb"\n    (?:def )?needs\b")
"""What makes a rule an account rule: the facts that it needs. All others make no AWS calls."""


@dataclass(frozen=True)
class RuleFile:
    """A rule that is imported on first use."""

    id: str
    scope: Literal["offline", "account"]
    module: str

    @cached_property
    def rule(self) -> Rule[Any]:
        """Return the rule, imported on first use.

        Raises
        ------
        TypeError
            The file has no rule, or one with another id or scope, which is an internal error.
        """
        module = importlib.import_module(self.module)
        rows = getattr(module, "RULES", None) or [
            item() for item in vars(module).values() if _is_rule_class(item, self.module)
        ]
        for rule in rows:
            if isinstance(rule, Rule) and (rule.id, rule.scope) == (self.id, self.scope):
                return rule
        raise TypeError(f"{self.module} does not have the {self.scope} rule {self.id}")


@cache
def rule_files() -> tuple[RuleFile, ...]:
    """Return every rule, in the order of the ids."""
    found = []
    for family in os.scandir(Path(__file__).parent / "rules"):
        for file in os.scandir(family.path) if family.is_dir() else ():
            if file.name.endswith(_TABLE):
                module = f"{_PACKAGE}.{family.name}.{file.name[:-3]}"
                ids = _ROW.findall(_read(file.path).decode())
                found += [RuleFile(id_, "account", module) for id_ in ids]
                continue
            match = _FILE_NAME.fullmatch(file.name)
            if match is not None:
                account = _NEEDS.search(_read(file.path))
                module = f"{_PACKAGE}.{family.name}.{match.group(1)}"
                id_ = f"CW-{match.group(2).upper()}"
                found.append(RuleFile(id_, "account" if account else "offline", module))
    return tuple(sorted(found, key=lambda file: file.id))


def _read(path: str) -> bytes:
    """Return the content of a file; `Path.read_bytes` takes four times as long."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


def _is_rule_class(item: object, module: str) -> bool:
    """Return whether it is a class that this module defines, with its own id."""
    return isinstance(item, type) and item.__module__ == module and "id" in vars(item)


def all_rules() -> tuple[Rule[Any], ...]:
    """Return every rule, imported, in the order of the ids."""
    return tuple(file.rule for file in rule_files())


def named(names: Iterable[str]) -> frozenset[str]:
    """Return the rule ids of `names`: an id (`CW-Q012`) or a family (`CW-Q`), case-insensitive.

    Raises
    ------
    UnknownRule
        For the first name that matches no rule.
    """
    ids = [file.id for file in rule_files()]
    meant: set[str] = set()
    for name in names:
        upper = name.upper()
        family = [i for i in ids if len(upper) == len("CW-Q") and i.startswith(upper)]
        chosen = [upper] if upper in ids else family
        if not chosen:
            raise UnknownRule(name, ids)
        meant.update(chosen)
    return frozenset(meant)

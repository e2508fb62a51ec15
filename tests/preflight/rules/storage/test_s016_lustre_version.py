"""Tests of CW-S016."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.storage_settings import FIRST, LINK, PLAIN, lustre


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"version": "2.10"}, "PERSISTENT_2 requires Lustre 2.12 or later, not 2.10"),
        (
            {"version": "2.12", "metadata": {"mode": "automatic"}},
            "a metadata configuration requires Lustre 2.15",
        ),
        (
            {**FIRST, "version": "2.10", "repositories": [LINK]},
            "a repository requires Lustre 2.12",
        ),
        (
            {
                "version": "2.12", "efa": True, "capacity_gib": 38400,
                "throughput_mbps_per_tib": 125,
            },
            "EFA, which includes a metadata configuration, requires Lustre 2.15",
        ),
    ],
)  # fmt: skip
def test_unsupported_features_of_old_versions_are_reported(
    rule: Harness, changes: dict[str, Any], wanted: str
) -> None:
    old = {**PLAIN, **changes}
    path = "storage.lustre[0].version"
    rule.fails("CW-S016", lustre(old), path=path, message=wanted)
    rule.passes("CW-S016", lustre({**old, "version": "2.15"}))


@pytest.mark.parametrize(
    "fs",
    [
        {**PLAIN, "version": "2.12"},
        {**PLAIN, **FIRST, "version": "2.10"},
        {**PLAIN, **FIRST, "version": "2.12", "repositories": [LINK]},
    ],
)
def test_supported_features_of_old_versions_pass(rule: Harness, fs: dict[str, Any]) -> None:
    rule.passes("CW-S016", lustre(fs))

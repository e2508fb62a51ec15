"""Tests of CW-S006."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import lustre


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trn2.48xlarge", "trn2.48xlarge does not support EFA for Lustre: trn2 is excluded"),
        ("p4d.24xlarge", "p4d.24xlarge is Nitro v3; EFA for Lustre requires Nitro v4"),
        ("g5.xlarge", "g5.xlarge does not support EFA"),
    ],
)
def test_clients_without_efa_are_reported(rule: Harness, name: str, message: str) -> None:
    rule.fails(
        "CW-S006",
        {**lustre(), "compute.1.instance_type": name},
        path="compute[1].instance_type",
        message=message,
        severity="warning",
    )
    rule.passes("CW-S006", lustre())
    rule.passes("CW-S006", {**lustre(efa=False), "compute.1.instance_type": name})

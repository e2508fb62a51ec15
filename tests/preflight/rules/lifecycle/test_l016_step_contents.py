"""Tests of CW-L016."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.lifecycle_scripts import HERE
from tools.lint.files import ROOT

STEP = '''"""Install a tool of ours."""

from __future__ import annotations

from clusterwright_node.node import APPLIES, SATISFIED

AFTER = ("users",)
DEADLINE_SECONDS = 30
RETRIES = 0


def applies(node):
    return APPLIES


def check(node):
    return SATISFIED


def apply(node):
    {}
'''


def spec(folder: Path, line: str, **more: Any) -> dict[str, Any]:
    path = folder / "ours.py"
    path.write_text(STEP.format(line))
    return {"lifecycle": {"steps": [str(path)]}, **more}


DOWNLOAD = 'node.machine.change("pip", "install", "torch")'


def test_download_in_a_closed_network_is_an_error(rule: Harness, tmp_path: Path) -> None:
    finding = rule.fails(
        "CW-L016",
        spec(tmp_path, DOWNLOAD, **{"network.egress": "closed"}),
        path="lifecycle.steps[0]",
        message="ours.py:21: pip install torch: the network has no route to the internet",
        severity="error",
    )
    assert "list the file as an artefact" in str(finding.hint)
    rule.fails(
        "CW-L016",
        spec(tmp_path, DOWNLOAD, **{"network.egress": "nat"}),
        path="lifecycle.steps[0]",
        message="pip install torch: reads from the internet while the node starts",
        severity="warning",
    )
    rule.passes("CW-L016", spec(tmp_path, 'node.machine.change("touch", "/opt/x")'))


@pytest.mark.parametrize(
    ("line", "severity", "message"),
    [
        (
            'node.machine.write_text("/opt/slurm/etc/gres.conf", "")',
            "error",
            "/opt/slurm/etc/gres.conf: Slurm's files are generated",
        ),
        (
            'node.machine.change("systemctl", "restart", "slurmd")',
            "warning",
            "systemctl restart slurmd: jobs of the node may end",
        ),
    ],
)
def test_steps_that_interfere_are_reported(
    rule: Harness, tmp_path: Path, line: str, severity: str, message: str
) -> None:
    rule.fails(
        "CW-L016",
        spec(tmp_path, line),
        path="lifecycle.steps[0]",
        message=message,
        severity=severity,
    )


def test_changed_shell_script_is_read(rule: Harness, folder: Path) -> None:
    (folder / "extra.sh").write_text("#!/bin/bash\ncurl --output /opt/x https://x.example/y\n")
    rule.fails(
        "CW-L016",
        {"network.egress": "closed"},
        path=HERE,
        message="lifecycle_scripts/extra.sh:2: curl --output /opt/x https://x.example/y",
        severity="error",
    )
    (folder / "extra.sh").unlink()
    rule.passes("CW-L016", tested=False)


def test_example_of_a_step_passes(rule: Harness) -> None:
    (step,) = (ROOT / "configs/examples/steps").glob("*.py")
    rule.passes("CW-L016", {"lifecycle": {"steps": [str(step)]}})

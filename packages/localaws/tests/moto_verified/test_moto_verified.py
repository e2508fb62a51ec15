"""moto's own tests that are marked as verified on AWS, run against the local AWS.

`differences.yaml` says how many pass, and why each of the others does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.setup import moto_tests

HERE = Path(__file__).parent
KNOWN: Mapping[str, Any] = yaml.safe_load((HERE / "differences.yaml").read_text())


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """How each test ended.

    Whatever fails without a known reason runs a second time: some of moto's tests act on a state
    that ends by the clock (an execution that waits one second), between two calls of their own.
    """
    moto_tests.bring_up_to_date()
    folder = tmp_path_factory.mktemp("moto")
    found = _run(_files(), folder / "outcomes.json")
    again = sorted(name for name, outcome in found.items() if outcome == "failed")
    again = [name for name in again if name not in KNOWN["differences"]]
    return {**found, **_run(again, folder / "again.json")} if again else found


def _run(tests: list[str], written: Path) -> Mapping[str, str]:
    environment = {name: one for name, one in os.environ.items() if not name.startswith("AWS_")}
    paths = (moto_tests.UNPACKED, moto_tests.PACKAGES, HERE)
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    environment["MOTO_OUTCOMES"] = str(written)
    options = ["-p", "local_aws_plugin", "-p", "no:cacheprovider", "-p", "no:randomly"]
    options += ["-c", str(HERE / "moto.ini"), "--rootdir", str(moto_tests.UNPACKED)]
    options += ["--quiet", "--tb=line", "-m", "aws_verified"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=moto_tests.UNPACKED,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout[-4000:] + done.stderr[-4000:]
    found: Mapping[str, str] = json.loads(written.read_text())
    return found


def _files() -> list[str]:
    """The test files with such a mark: importing the others takes longer than the tests."""
    found = {
        str(path.relative_to(moto_tests.UNPACKED))
        for path in (moto_tests.UNPACKED / "tests").rglob("test_*.py")
        if "pytest.mark.aws_verified" in path.read_text(encoding="utf-8")
    }
    assert found >= KNOWN["left_out"].keys()
    return sorted(found - KNOWN["left_out"].keys())


@pytest.mark.slow
def test_each_that_differs_has_a_reason(outcomes: Mapping[str, str]) -> None:
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert sorted(failed - KNOWN["differences"].keys()) == []


@pytest.mark.slow
def test_none_with_a_reason_passes(outcomes: Mapping[str, str]) -> None:
    """Whoever mends one removes its reason, and raises the number."""
    now = {name: outcomes.get(name, "not collected") for name in KNOWN["differences"]}
    assert {name: outcome for name, outcome in now.items() if outcome != "failed"} == {}


@pytest.mark.slow
def test_the_number_that_passes_only_rises(outcomes: Mapping[str, str]) -> None:
    passed = sum(outcome == "passed" for outcome in outcomes.values())
    assert passed == KNOWN["passed"], "raise `passed` where it rose; it may not fall"

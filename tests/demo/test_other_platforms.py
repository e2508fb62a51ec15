"""`make demo PLATFORM=...`: each platform's environment for trying things, deployed for real.

The real CDK command line, on a local AWS that is served.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clusterwright.cluster_spec import load_spec
from demo.other_platforms import MORE_NODES, PLATFORMS
from demo.shell import ROOT
from tests.support.pcluster import pcluster_python

__all__ = ["pcluster_python"]


@pytest.mark.slow
@pytest.mark.enable_socket
@pytest.mark.usefixtures("pcluster_python")
# The same commands for platforms on EKS: tests/stacks/test_*eks_deployment.py.
@pytest.mark.parametrize("platform", ["parallelcluster", "pcs"])
def test_platform_is_checked_deployed_changed_and_destroyed(platform: str) -> None:
    about = PLATFORMS[platform]
    result = subprocess.run(
        [sys.executable, "-m", "demo", "--platform", platform],
        cwd=ROOT,
        # The validation has its own tests, with every configuration (test_nag.py).
        env={**os.environ, "CDK_VALIDATION": "false"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    said = result.stdout
    assert result.returncode == 0, said[-6000:]
    config = re.escape(about.config)
    name = about.config.removeprefix("configs/").removesuffix(".yaml")
    changed = rf"\S+/{re.escape(name)}\.yaml"
    expected = [
        r"clusterwright localaws --port 0 --world generous &",
        rf"clusterwright check {config}",
        rf"clusterwright cost {config}",
        rf"cdk bootstrap -c env={name}",
        rf"cdk deploy -c env={name} --all --require-approval never",
        rf"clusterwright diff {changed} --base {config}",
        rf"cdk diff -c config={changed}",
        rf"cdk deploy -c config={changed} --all --require-approval never",
        rf"cdk destroy -c config={changed} --all --force",
        r"kill \d+",
    ]
    rest = iter(re.findall(r"^\$ (.*)$", said, re.MULTILINE))
    for pattern in expected:
        assert any(re.fullmatch(pattern, command) for command in rest), f"no `{pattern}` in turn"
    count = sum(group.count for group in load_spec(ROOT / about.config).cluster.compute)
    assert f"{count} nodes" in said
    assert f"{count + MORE_NODES} nodes" in said
    log = Path(re.findall(r"The complete output is in (\S+)$", said, re.MULTILINE)[0])
    said = log.read_text(encoding="utf-8")
    log.unlink()
    assert f"{MORE_NODES} nodes more; the" in said, "diff says what becomes of the nodes"
    if platform == "parallelcluster":
        # Only ParallelCluster's own validators, with the local AWS, print this.
        assert "KeyPairValidator" in said
        assert "UNVALIDATED" not in said
        assert "in part" not in said


def test_every_change_is_of_an_existing_group() -> None:
    for about in PLATFORMS.values():
        cluster = load_spec(ROOT / about.config).cluster
        assert about.group in {group.name for group in cluster.compute}
        assert (ROOT / about.lister).is_file()
        assert cluster.protection == "destroy"


def test_unknown_platform_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "demo", "--platform", "mainframe"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "parallelcluster" in done.stderr

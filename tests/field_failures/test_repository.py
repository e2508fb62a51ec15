"""Failures of the tool's own installation."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def pins(name: str) -> dict[str, str]:
    """Package to version, as pinned by a requirement file for this Python."""
    found = {}
    for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            requirement = Requirement(line.removesuffix("\\").strip())
            if requirement.marker is None or requirement.marker.evaluate():
                (version,) = requirement.specifier
                assert version.operator == "=="
                found[canonicalize_name(requirement.name)] = version.version
    return found


@pytest.mark.parametrize("name", ["core", "cdk", "localaws"])
def test_parallelcluster_4180_every_dependency_is_pinned_with_its_hash(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    blocks = re.split(r"\n(?=[a-zA-Z0-9])", text)[1:]
    assert len(blocks) > 5
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block
    everything = pins(name)
    # Version 1 of the CDK, a dependency of the reported tool, conflicts with version 2.
    assert not [package for package in everything if package.startswith("aws-cdk-core")]
    # The requirements of every pinned package are satisfied by the pins.
    wants = 0
    for package in everything:
        for text_ in metadata.requires(package) or ():
            requirement = Requirement(text_)
            wanted = canonicalize_name(requirement.name)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            if wanted in everything:
                wants += 1
                version = everything[wanted]
                assert requirement.specifier.contains(version, prereleases=True), (
                    f"{package} wants {requirement}, pinned is {version}"
                )
            else:
                raise AssertionError(f"{package} wants {wanted}, which is not pinned")
    assert wants > 5

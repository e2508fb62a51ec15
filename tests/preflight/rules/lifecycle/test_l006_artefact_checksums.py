"""Tests of CW-L006."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.artefacts.lock import Artefact, write_lock
from clusterwright.preflight.rules.lifecycle import l006_artefact_checksums
from tests.preflight.harness import Harness
from tests.preflight.rules.support.settings import artefact_list


def test_artefacts_without_a_checksum_are_reported(rule: Harness, tmp_path: Path) -> None:
    mirrored = {"slurm.containers": {"pyxis": True, "install": "mirrored"}}
    read, unread = "0" * 64, None
    rule.fails(
        "CW-L006",
        mirrored,
        path="slurm.containers.install",
        message="the checksums of enroot 3.4.1-1 (x86_64), enroot-caps",
    )
    both = artefact_list(tmp_path, ("enroot", "x86_64", read), ("pyxis", "any", read))
    rule.passes("CW-L006", {**mirrored, "lifecycle": {"artefacts": both}})
    partly = artefact_list(tmp_path, ("enroot", "x86_64", read), ("pyxis", "any", unread))
    rule.fails(
        "CW-L006",
        {**mirrored, "lifecycle": {"artefacts": partly}},
        path="slurm.containers.install",
        message="checksums of pyxis 1.0 (any) are missing: nodes refuse",
    )
    lacking = artefact_list(tmp_path, ("enroot", "arm64", read), ("pyxis", "any", read))
    rule.fails(
        "CW-L006",
        {**mirrored, "lifecycle": {"artefacts": lacking}},
        path="slurm.containers.install",
        message="the list of artefacts has no enroot for x86_64",
    )
    rule.passes("CW-L006", {"slurm.containers": {"pyxis": True}}, tested=False)


def test_artefacts_of_custom_steps_are_checked(rule: Harness, tmp_path: Path) -> None:
    path = tmp_path / "artefacts.json"
    write_lock(
        path,
        [
            Artefact(
                "tool", "1", "any", "https://example.com/tool", None, None, "a test", ("memlock",)
            )
        ],
    )
    own = {"steps": ["configs/examples/steps/memlock.py"], "artefacts": str(path)}
    rule.fails("CW-L006", {"lifecycle": own}, path="lifecycle.steps[0]", message="of tool 1 (any)")
    rule.passes("CW-L006", {"lifecycle": {"steps": own["steps"]}})


def test_architecture_of_an_unknown_type_is_unknown(
    rule: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = artefact_list(tmp_path, ("enroot", "x86_64", "0" * 64), ("pyxis", "any", "0" * 64))
    monkeypatch.setattr(l006_artefact_checksums, "Known", frozenset)  # no source lists it
    found = rule.run(
        "CW-L006",
        {
            "slurm.containers": {"pyxis": True, "install": "mirrored"},
            "lifecycle": {"artefacts": both},
        },
    )
    assert found.rule.status == "unknown"
    assert {entry.path for entry in found.unanswered} == {"slurm.containers.install"}
    assert all("no source states the architecture" in entry.message for entry in found.unanswered)

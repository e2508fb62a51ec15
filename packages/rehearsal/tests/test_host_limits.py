"""The waiver of a limit that emulated nodes have from their host."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest

from clusterwright.platforms.loading import load_cluster
from clusterwright_rehearsal import cluster_size, host_limits, prerequisites

ROOT = Path(__file__).resolve().parents[3]
NOTE = "acceptance waives locked-memory: the host of the emulated node limits it"
OWN = {"check": "gpu-health", "reason": "the vendor replaces it", "expires": "2099-12-31"}


def limit(monkeypatch: pytest.MonkeyPatch, hard: int, *, may_raise: bool) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (hard, hard))
    monkeypatch.setattr(prerequisites, "has_capability", lambda name: may_raise)


@pytest.mark.parametrize(
    ("hard", "may_raise", "limited"),
    [
        (8 * 2**20, False, True),
        (8 * 2**20, True, False),
        (16 * 2**30 - 1, False, True),
        (16 * 2**30, False, False),
        (resource.RLIM_INFINITY, False, False),
    ],
)
def test_only_a_limit_that_cannot_be_raised_counts(
    monkeypatch: pytest.MonkeyPatch, hard: int, may_raise: bool, limited: bool
) -> None:
    limit(monkeypatch, hard, may_raise=may_raise)
    assert host_limits.locked_memory_is_limited() is limited


@pytest.mark.parametrize(
    ("acceptance", "checks"),
    [
        ({"hold": False}, None),
        ({"hold": True}, ["locked-memory"]),
        ({"hold": True, "waivers": [OWN]}, ["gpu-health", "locked-memory"]),
    ],
)
def test_the_waiver_is_that_of_a_spec_with_the_hold(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    acceptance: dict[str, Any],
    checks: list[str] | None,
) -> None:
    limit(monkeypatch, 8 * 2**20, may_raise=False)
    spec = load_cluster(ROOT / "configs/dev.yaml")
    data = cluster_size.reduced(spec.cluster, spec.resolved(), 4).data
    data = {key: value for key, value in data.items() if key != "acceptance"}
    data |= {"acceptance": acceptance}
    found, notes = host_limits.waived(data)
    if checks is None:
        assert (found, notes) == (data, [])
        return
    assert [note.partition(",")[0] for note in notes] == [NOTE]
    loaded = load_cluster(cluster_size.write(found, tmp_path)).cluster
    assert [one.check for one in loaded.acceptance.waivers] == checks
    assert data["acceptance"] == acceptance

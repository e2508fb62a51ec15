"""From each platform to each other one and back: the file is valid, and every loss is reported."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration import Migration, migrate
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import HYPERPOD, ON_EC2, PLATFORMS, SLURM, PlatformName
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.yaml_styles import Writer, comments

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
DEV: dict[PlatformName, str] = {
    "hyperpod-slurm": "dev",
    "hyperpod-eks": "dev-hyperpod-eks",
    "parallelcluster": "dev-parallelcluster",
    "eks": "dev-eks",
    "pcs": "dev-pcs",
}
PAIRS = list(itertools.permutations(PLATFORMS, 2))


def moved(
    spec: LoadedSpec, target: PlatformName, file: Path, **options: Any
) -> tuple[Migration, LoadedSpec]:
    """The new file, written and loaded."""
    found = migrate(spec, target, load_catalog(), folder=file.parent, **options)
    file.write_text(found.text, encoding="utf-8")
    return found, load_cluster(file)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_dev_environment_migrates_to_every_other_platform(
    source: PlatformName, target: PlatformName, tmp_path: Path
) -> None:
    spec = load_cluster(CONFIGS / f"{DEV[source]}.yaml")
    found, other = moved(spec, target, tmp_path / "other.yaml")
    assert other.cluster.platform == target
    assert found.moves
    jobs = [(g.instance_type, g.count) for g in spec.cluster.compute if g.role == "compute"]
    assert jobs == [
        (g.instance_type, g.count) for g in other.cluster.compute if g.role == "compute"
    ]
    assert [fs.capacity_gib for fs in other.cluster.storage.lustre] == [1200]
    for comment in (
        "# The smallest file system without replication.",
        "# one H100 each",
    ):
        assert comment in found.text


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_round_trip_loses_only_what_was_reported(
    source: PlatformName, target: PlatformName, tmp_path: Path
) -> None:
    spec = load_cluster(CONFIGS / f"{DEV[source]}.yaml")
    there, other = moved(spec, target, tmp_path / "there.yaml")
    back, again = moved(other, source, tmp_path / "back.yaml")
    reported = {_place(n.path) for m in (there, back) for n in (*m.lost, *m.moves, *m.decisions)}
    for path in _differences(spec.resolved(), again.resolved()):
        assert any(path == s or path.startswith((f"{s}.", f"{s}[")) for s in reported if s), path


@pytest.mark.parametrize("target", PLATFORMS[1:])
@pytest.mark.parametrize("base", [MINIMAL, FULL], ids=["minimal", "full"])
def test_a_spec_with_every_key_migrates_and_reports_its_losses(
    base: dict[str, Any], target: PlatformName, tmp_path: Path
) -> None:
    (tmp_path / "old.yaml").write_text(json.dumps(base, indent=1))
    spec = load_cluster(tmp_path / "old.yaml")
    found, other = moved(spec, target, tmp_path / "new.yaml", environment="next")
    assert (other.cluster.platform, other.cluster.environment) == (target, "next")
    assert not any(b.create for b in other.cluster.storage.buckets)
    # The removed keys are listed for each.
    reported = {_place(n.path) for n in (*found.lost, *found.moves, *found.decisions)}
    for path in _missing(spec.layers.data, other.layers.data):
        assert any(path == s or path.startswith((f"{s}.", f"{s}[")) for s in reported if s), path


def _place(path: str) -> str:
    """The controller's group has another name on Kubernetes."""
    return re.sub(r"compute\[(system|controller)\]", "compute[head]", path)


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        items = {f"{path}.{k}".removeprefix("."): v for k, v in value.items()}
    elif isinstance(value, list):
        items = {f"{path}[{_label(v, i)}]": v for i, v in enumerate(value)}
    else:
        return {path: value}
    found = {k: v for key, child in items.items() for k, v in _flat(child, key).items()}
    return found or {path: value}


def _label(value: Any, index: int) -> str:
    if isinstance(value, dict) and "instance_type" in value:
        return "head" if value["role"] in ("controller", "system") else str(value["name"])
    return str(index)


def _differences(before: Any, after: Any) -> list[str]:
    old, new = _flat(before), _flat(after)
    return [path for path, value in old.items() if path not in new or new[path] != value]


def _missing(before: Any, after: Any) -> list[str]:
    return [path for path in _flat(before) if path not in _flat(after)]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_partial_capabilities_are_lost_and_gained(
    source: PlatformName, target: PlatformName
) -> None:
    """A migration between HyperPod and EC2 reports recovery, even if the file lacks the key."""
    spec = load_cluster(CONFIGS / f"{DEV[source]}.yaml")
    found = migrate(spec, target, load_catalog())
    lost, gained = (" | ".join(n.what for n in notes) for notes in (found.lost, found.gained))
    abilities = ("Recovery of nodes: ", "Jobs resume after a lost node: ", "Deep health checks: ")
    for ability in abilities:
        assert (ability in lost) == (source in HYPERPOD and target in ON_EC2), ability
        assert (ability in gained) == (target in HYPERPOD and source in ON_EC2), ability
    scheduler = [n for n in found.moves if " runs the jobs instead of " in n.what]
    assert bool(scheduler) == ((source in SLURM) != (target in SLURM))


# -- details ------------------------------------------------------------------------------------


def _of(tmp_path: Path, **changes: Any) -> LoadedSpec:
    (tmp_path / "old.yaml").write_text(json.dumps(changed(MINIMAL, **changes)))
    return load_cluster(tmp_path / "old.yaml")


def test_training_plan_is_lost_outside_hyperpod(tmp_path: Path) -> None:
    plan = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/mine"
    spec = _of(tmp_path, compute__1__capacity={"kind": "training-plan", "arn": plan})
    retained, other = moved(spec, "hyperpod-eks", tmp_path / "a.yaml")
    assert other.cluster.compute[1].capacity.kind == "training-plan"
    assert retained.decisions == ()
    left, other = moved(spec, "eks", tmp_path / "b.yaml")
    assert other.cluster.compute[1].capacity.kind == "on-demand"
    assert [d.path for d in left.decisions] == ["compute[workers].capacity"]
    assert "platform: hyperpod-slurm or hyperpod-eks" in str(left.decisions[0].do)
    assert plan in " ".join(note.what for note in left.lost)


def test_capacity_block_and_placement_group_are_lost_outside_ec2(tmp_path: Path) -> None:
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    workers = {**MINIMAL["compute"][1], "capacity": block}
    near = {**MINIMAL["compute"][1], "name": "near", "placement_group": True}
    spec = _of(
        tmp_path, platform="parallelcluster", compute=[MINIMAL["compute"][0], workers, near]
    )
    found, other = moved(spec, "hyperpod-slurm", tmp_path / "new.yaml")
    assert [g.capacity.kind for g in other.cluster.compute] == ["on-demand"] * 3
    assert not any(g.placement_group for g in other.cluster.compute)
    lost = {note.path for note in found.lost}
    assert {"compute[workers].capacity", "compute[near].placement_group"} <= lost


def test_equal_shares_of_a_mix_are_merged(tmp_path: Path) -> None:
    plan = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/mine"
    shares = [
        {"percent": 50, "capacity": {"kind": "training-plan", "arn": plan}},
        {"percent": 25, "capacity": {"kind": "on-demand"}},
        {"percent": 25, "capacity": {"kind": "spot"}},
    ]
    mix = {"kind": "mix", "shares": shares, "fallback": ["on-demand"]}
    spec = _of(tmp_path, compute__1__capacity=mix)
    found, other = moved(spec, "parallelcluster", tmp_path / "new.yaml")
    kinds = [(g.capacity.kind, g.count) for g in other.cluster.compute if g.role == "compute"]
    assert kinds == [("on-demand", 3), ("spot", 1)]
    two = {**mix, "shares": [{**shares[0], "percent": 60}, {**shares[1], "percent": 40}]}
    spec = _of(tmp_path, compute__1__capacity=two)
    found, other = moved(spec, "parallelcluster", tmp_path / "new.yaml")
    assert [g.capacity.kind for g in other.cluster.compute if g.role == "compute"] == ["on-demand"]
    assert found.decisions


def test_names_become_valid_for_parallelcluster(tmp_path: Path) -> None:
    groups = [
        MINIMAL["compute"][0],
        {**MINIMAL["compute"][1], "name": "A-very-long-name-of-a-group-of-workers"},
        {**MINIMAL["compute"][1], "name": "a-very-long-name-of-a-gro"},
        {**MINIMAL["compute"][1], "name": "7B"},
        {**MINIMAL["compute"][1], "name": "default"},
    ]
    partitions = [{"name": "Training", "groups": [g["name"] for g in groups[1:]]}]
    spec = _of(tmp_path, compute=groups, slurm={"partitions": partitions})
    _, other = moved(spec, "parallelcluster", tmp_path / "new.yaml")
    names = [g.name for g in other.cluster.compute[1:]]
    assert names == ["a-very-long-name-of-a-g-2", "a-very-long-name-of-a-gro", "g-7b", "default-2"]
    assert other.cluster.slurm.partitions[0].groups == names
    assert other.cluster.slurm.partitions[0].name == "training"


def test_addresses_quotas_users_and_zone_are_reported(tmp_path: Path) -> None:
    spec = _of(
        tmp_path,
        slurm={"users": [{"name": "ada", "uid": 20001}, {"name": "bob", "uid": 20007}]},
        storage={"lustre": [{"capacity_gib": 1200, "deployment_type": "SCRATCH_2"}]},
    )
    found = migrate(spec, "eks", load_catalog())
    notes = {note.what: note for note in found.moves}
    addresses = next(what for what in notes if what.startswith("addresses of the nodes"))
    # 4 nodes with 32 addresses and a controller with 1; then 81 and 30.
    assert addresses.startswith("addresses of the nodes: 129 → 354 ")
    assert any("2 users, uid 20001 to 20007" in what for what in notes)
    assert any("L-417A185B" in what and "768 vCPUs" in what for what in notes)
    assert any("use1-az6 only" in what for what in notes)


def test_the_path_of_a_users_file_is_relative_to_the_new_file(tmp_path: Path) -> None:
    (tmp_path / "configs" / "users").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "configs" / "users" / "us.yaml").write_text("users: [{name: ada, uid: 20001}]\n")
    spec = changed(MINIMAL, slurm={"users": "users/us.yaml"})
    (tmp_path / "configs" / "old.yaml").write_text(json.dumps(spec))
    loaded = load_cluster(tmp_path / "configs" / "old.yaml")
    for folder, named in (("configs", "users/us.yaml"), ("elsewhere", "../configs/users/us.yaml")):
        found, other = moved(loaded, "parallelcluster", tmp_path / folder / "new.yaml")
        assert named in found.text
        assert [u.name for u in other.cluster.slurm.users] == ["ada"]


LAYOUTS = [
    (target, seed) for seed in range(5) for target in PLATFORMS if target != "hyperpod-slurm"
]


@pytest.mark.parametrize(("target", "seed"), LAYOUTS)
def test_layout_of_the_file_and_of_its_base_does_not_matter(
    target: PlatformName, seed: int, tmp_path: Path
) -> None:
    plain, styled = tmp_path / "plain", tmp_path / "styled"
    spec = changed(FULL, compute__1__capacity={"kind": "on-demand"})
    base = {key: spec[key] for key in ("slurm", "storage", "network")}
    above = {key: value for key, value in spec.items() if key not in base}
    rng = random.Random(seed)
    found = {}
    for folder in (plain, styled):
        folder.mkdir()
        for name, data in (("base", base), ("old", above)):
            text = json.dumps(data) if folder == plain else Writer(rng).text(data)
            (folder / f"{name}.yaml").write_text(text)
        loaded = load_cluster(folder / "old.yaml")
        found[folder] = moved(loaded, target, folder / "new.yaml", environment="next")
    assert found[styled][1].resolved() == found[plain][1].resolved()
    assert found[styled][0].lost == found[plain][0].lost
    written = comments((styled / "old.yaml").read_text() + (styled / "base.yaml").read_text())
    assert comments(found[styled][0].text) <= written

"""On each platform each leaf of the spec does something, or is refused there by name.

`test_every_leaf.py` shows that each leaf does something somewhere. Here each of its cases is moved
to the platforms that it is not of, as `clusterwright migrate` moves a spec, and changed there: the
change shows, or the file is refused and told which platform, or which other key, stands against
it. A key that a platform took in silence would fail here.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec, SpecErrors
from clusterwright.migration import migrate
from clusterwright.migration.yaml_editor import Editor
from clusterwright.platforms.loading import load_cluster, validate_for_synthesis
from clusterwright.platforms.registry import KUBERNETES, PLATFORMS, SLURM, PlatformName
from tests.platforms.kubernetes.specs import EKS as KUBERNETES_ON_EKS
from tests.platforms.kubernetes.specs import HYPERPOD as KUBERNETES_ON_HYPERPOD
from tests.platforms.kubernetes.specs import OUTPUTS
from tests.support import leaf_cases
from tests.support.leaf_cases import CASES, TIGHT, Case
from tests.support.rich_specs import EKS_MINIMAL, MINIMAL, PCS_MINIMAL, changed

# Not visible in any aspect of one spec: gates of a change, waivers, the base of everything.
ELSEWHERE = (
    "allow_replacement",
    "waivers",
    "platform",
    "partition",
    "budget.max_increase_percent",
)

load, look = leaf_cases.load, leaf_cases.look


IMAGE_ID = "ami-0123456789abcdef0"

TWO = {
    "lustre": [
        {"mount_path": "/fsx", "capacity_gib": 9600, "throughput_mbps_per_tib": 500},
        {"mount_path": "/other", "capacity_gib": 1200, "throughput_mbps_per_tib": 125},
    ],
    "checkpoint_path": "/fsx/checkpoints",
}


def _case(base: dict[str, Any], platform: str, path: str, value: Any, **keys: Any) -> Case:
    """A case on `platform`; keys with None are removed from its base."""
    spec = {**base, "platform": platform, **keys}
    spec = {key: one for key, one in spec.items() if one is not None}
    return Case(spec, path, value, "template")


def _mixed(fallback: list[str]) -> dict[str, Any]:
    reserved = {"kind": "reservation", "id": "cr-0123456789abcdef0"}
    shares = [{"percent": 75, "capacity": reserved}, {"percent": 25, "capacity": {"kind": "spot"}}]
    return {"kind": "mix", "shares": shares, "fallback": fallback}


# Where the other table's value is what the platform does anyway, or cannot be, or where the base
# of another platform does not have what it is about.
HERE: dict[tuple[str, str], Case] = {
    ("compute[].placement_group", "parallelcluster"): _case(
        MINIMAL, "parallelcluster", "compute__1__placement_group", False
    ),
    ("compute[].placement_group", "pcs"): _case(
        PCS_MINIMAL, "pcs", "compute__1__placement_group", False
    ),
    ("compute[].capacity.fallback", "pcs"): _case(
        PCS_MINIMAL, "pcs", "compute__1__capacity", _mixed(["on-demand"])
    ),
    ("compute[].role", "pcs"): _case(PCS_MINIMAL, "pcs", "compute__0__role", "controller"),
    ("compute[].placement_group", "eks"): _case(
        EKS_MINIMAL, "eks", "compute__0__placement_group", False
    ),
    ("compute[].capacity.fallback", "parallelcluster"): _case(
        MINIMAL, "parallelcluster", "compute__1__capacity", _mixed(["on-demand"])
    ),
    ("compute[].capacity.fallback", "eks"): _case(
        changed(EKS_MINIMAL, compute__0__capacity=_mixed(["on-demand"])),
        "eks",
        "compute__0__capacity",
        _mixed([]),
    ),
    ("compute[].role", "eks"): _case(EKS_MINIMAL, "eks", "compute__0__role", "system"),
    ("compute[].role", "hyperpod-eks"): _case(
        EKS_MINIMAL, "hyperpod-eks", "compute__0__role", "system", kubernetes=None
    ),
    ("parallelcluster.version", "parallelcluster"): _case(
        MINIMAL, "parallelcluster", "parallelcluster", {"version": "3.15.0"}
    ),
    # One address per node: fifty nodes fill a small range.
    ("network.address_headroom_percent", "parallelcluster"): _case(
        changed(TIGHT, network__cidr="10.0.0.0/24", compute__1__count=50),
        "parallelcluster",
        "network__address_headroom_percent",
        100,
    ),
    ("network.address_headroom_percent", "pcs"): _case(
        changed(
            PCS_MINIMAL,
            network__cidr="10.0.0.0/24",
            network__address_headroom_percent=0,
            compute__1__count=50,
        ),
        "pcs",
        "network__address_headroom_percent",
        100,
    ),
    **{
        ("network.address_headroom_percent", platform): _case(
            changed(EKS_MINIMAL, network__cidr="10.0.0.0/22", network__address_headroom_percent=0),
            platform,
            "network__address_headroom_percent",
            100,
            kubernetes=None,
        )
        for platform in KUBERNETES
    },
    ("image.released", "hyperpod-eks"): _case(
        EKS_MINIMAL, "hyperpod-eks", "image", {"released": "2026-09-17", "image_id": IMAGE_ID}
    ),
    # Two file systems: the space for checkpoints is that of their file system.
    **{
        ("storage.checkpoint_path", platform): _case(
            changed(EKS_MINIMAL, storage=TWO, run={"hours": 100, "checkpoint_gib": 2000}),
            platform,
            "storage__checkpoint_path",
            "/other/checkpoints",
            kubernetes=None,
        )
        for platform in KUBERNETES
    },
    # The path of local disks in example jobs.
    ("compute[].scratch.mount_path", "eks"): _case(
        changed(KUBERNETES_ON_EKS, compute__1__scratch={"mount_path": "/scratch"}),
        "eks",
        "compute__1__scratch__mount_path",
        "/nvme",
    ),
    # The path of home directories in example jobs.
    ("storage.home.mount_path", "hyperpod-eks"): _case(
        changed(KUBERNETES_ON_HYPERPOD, storage__home={"kind": "openzfs", "capacity_gib": 64}),
        "hyperpod-eks",
        "storage__home__mount_path",
        "/people",
    ),
    ("storage.home.mount_path", "eks"): _case(
        changed(KUBERNETES_ON_EKS, storage__home={"kind": "openzfs", "capacity_gib": 64}),
        "eks",
        "storage__home__mount_path",
        "/people",
    ),
}

QUICK = ("finding", "cost")
# Templates last: a synthesis takes most of the time.
SLOW = ("cluster.json", "ParallelCluster's configuration", "manifests", "template")


ONLY: dict[str, tuple[str, ...]] = {
    "manifests": KUBERNETES,
    "cluster.json": SLURM,
    "ParallelCluster's configuration": ("parallelcluster",),
}


def matters() -> list[Any]:
    """(leaf, platform) without a case of the other table."""
    found = []
    for leaf, cases in CASES.items():
        if leaf.startswith(ELSEWHERE):
            continue
        for platform in PLATFORMS:
            proven = any(c.base["platform"] == platform and c.shows != "refused" for c in cases)
            if not proven:
                found.append(pytest.param(leaf, platform, id=f"{leaf}-{platform}"))
    return found


@pytest.fixture(scope="module")
def base_of(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Case, PlatformName], dict[str, Any]]:
    """A case's base on another platform."""
    folder = tmp_path_factory.mktemp("moved")
    known: dict[tuple[str, PlatformName], dict[str, Any]] = {}

    def moved(case: Case, platform: PlatformName) -> dict[str, Any]:
        text = json.dumps(case.base, indent=1)
        if (text, platform) not in known:
            (folder / "old.yaml").write_text(text)
            spec = load_cluster(folder / "old.yaml")
            found = case.base
            if spec.cluster.platform != platform:
                found = Editor(migrate(spec, platform, load_catalog(), folder=folder).text).data
            known[(text, platform)] = decided(found, platform)
        return copy.deepcopy(known[(text, platform)])

    return moved


@pytest.fixture(scope="module", autouse=True)
def outputs_of_every_file_system() -> Iterator[None]:
    """Outputs of a deployment for the second and third file system."""
    with pytest.MonkeyPatch.context() as patch:
        for number in ("2", "3"):
            for name in ("LustreDnsName", "LustreMountName"):
                patch.setitem(OUTPUTS, name + number, OUTPUTS[name])
        yield


def decided(spec: dict[str, Any], platform: PlatformName) -> dict[str, Any]:
    """The spec with values that only a user knows: existing subnets, and an existing volume."""
    spec = copy.deepcopy(spec)
    network = spec["network"].get("existing")
    if network is not None and platform in KUBERNETES:
        network["control_plane_subnet_ids"] = [
            "subnet-0a1b2c3d4e5f60719",
            "subnet-0a1b2c3d4e5f6071a",
        ]
    home = spec.get("storage", {}).get("home") or {}
    if "existing" in home and platform == "parallelcluster":
        home["existing"]["volume_id"] = "fsvol-0a1b2c3d4e5f60718"
    return spec


def put(base: dict[str, Any], case: Case, platform: PlatformName) -> dict[str, Any]:
    """`base` with the change of the case, by the names of groups; missing parts are added."""
    after = case.after()
    spec = copy.deepcopy(base)
    for dotted in (*case.also, case.path):
        path = [int(p) if p.isdigit() else p for p in dotted.split("__")]
        source: Any = after
        target: Any = spec
        for depth, part in enumerate(path):
            if depth + 1 == len(path) or not _has(
                target, _there(path, depth, spec, case, platform)
            ):
                value = source.get(part) if isinstance(source, dict) else source[part]
                _set(target, _there(path, depth, spec, case, platform), copy.deepcopy(value))
                break
            source = source[part]
            target = target[_there(path, depth, spec, case, platform)]
    return spec


def _there(
    path: list[Any], depth: int, spec: dict[str, Any], case: Case, platform: PlatformName
) -> Any:
    """The index of a group in the other file, by its name; jobs replace a login group there."""
    if depth != 1 or path[0] != "compute":
        return path[depth]
    group = case.base["compute"][path[1]]
    places = {g["name"]: i for i, g in enumerate(spec["compute"])}
    if platform in KUBERNETES and group["role"] == "controller":
        return places.get("system", 0)
    if group["role"] == "system" and platform not in KUBERNETES:
        return places.get("controller", places.get("login", 0))
    jobs = next(i for i, g in enumerate(spec["compute"]) if g["role"] == "compute")
    return places.get(group["name"], jobs)


def _has(target: Any, part: Any) -> bool:
    if isinstance(target, dict):
        return target.get(part) is not None
    return isinstance(target, list) and isinstance(part, int) and part < len(target)


def _set(target: Any, part: Any, value: Any) -> None:
    if isinstance(target, list) and part >= len(target):
        target.append(value)
    elif value is None and isinstance(target, dict):
        target.pop(part, None)
    else:
        target[part] = value


@pytest.mark.parametrize(("leaf", "platform"), matters())
def test_leaf_is_visible_or_refused(
    leaf: str,
    platform: PlatformName,
    base_of: Callable[[Case, PlatformName], dict[str, Any]],
    look: Callable[[str, dict[str, Any]], Any],
    load: Callable[[dict[str, Any]], LoadedSpec],
) -> None:
    tried = []
    cases = sorted(CASES[leaf], key=lambda c: c.shows == "refused")
    own = HERE.get((leaf, platform))
    for case in cases if own is None else [own]:
        base = case.base if own is not None else base_of(case, platform)
        try:
            validate_for_synthesis(load(base))
        except SpecErrors:
            continue  # A base that needs a decision on this platform.
        spec = case.after() if own is not None else put(base, case, platform)
        if spec == base:
            continue
        try:
            validate_for_synthesis(load(spec))
        except SpecErrors as errors:
            if not all(problem.position and problem.message for problem in errors):
                pytest.fail(f"{leaf} is refused without a place: {errors}")
            return
        tried.append(case.path)
        for aspect in (*QUICK, *SLOW):
            if platform not in ONLY.get(aspect, PLATFORMS):
                continue
            if look(aspect, base) != look(aspect, spec):
                return
    pytest.fail(f"{platform} takes {leaf} in silence: {tried or 'nothing could be tried'}")

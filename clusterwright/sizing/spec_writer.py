"""The environment's file of a plan: what `clusterwright plan --write` puts into configs/.

Text, not data: a reviewer reads it, so each value that the plan chose says why beside it. Laid
over configs/base.yaml like every other file; what the plan does not decide keeps its default.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.platforms.capabilities import who_can
from clusterwright.platforms.network import is_local
from clusterwright.platforms.parallelcluster.limits import ULTRASERVER_SIZES
from clusterwright.platforms.registry import KUBERNETES, PlatformName, traits_of
from clusterwright.platforms.traits import RESERVED_KINDS
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.purchases import block_sizes
from clusterwright.sizing.storage import StoragePlan

CONTROLLERS: Final = ((16, "m5.4xlarge"), (128, "m5.8xlarge"), (512, "m5.12xlarge"))
"""Controller by compute nodes, as the examples of configs/; above, the largest."""
LARGEST_CONTROLLER: Final = "m5.24xlarge"
LOGIN: Final = "m5.4xlarge"
GRAVITON: Final = {
    "m5.4xlarge": "m7g.4xlarge",
    "m5.8xlarge": "m7g.8xlarge",
    "m5.12xlarge": "m7g.12xlarge",
    LARGEST_CONTROLLER: "m7g.16xlarge",  # the largest of m7g
}
"""Counterparts where all nodes have to be of arm64, as ParallelCluster wants them of one kind."""
SYSTEM_NODES: Final = "{name: system, role: system, instance_type: m5.4xlarge, count: 2}"
"""Cluster services run twice, so that one node may go; as configs/dev-eks.yaml, a size larger."""
SCRATCH_PATH: Final = "/scratch"
UNBOUGHT: Final = "cr-00000000000000000"
"""An id in the place of one that is still to be bought: AWS gives none of zeros alone."""


@dataclass(frozen=True)
class SpecChoices:
    """What the file says besides the storage.

    Attributes
    ----------
    nodes, spares:
        That run, and that wait; the group has both.
    capacity_kind, arn:
        One that the platform takes; of a training plan the ARN, or `None` where it is still to be
        bought, as capacity blocks and reservations are.
    hours:
        That the cluster is held; the P90 of the plan, rounded up to days.
    plan_file:
        Where the plan lies, for the reader.
    budget_usd:
        Of the run, where a price is known.
    reasons:
        One line each, for the head of the file.
    secondary_cidrs:
        Further ranges, where the nodes leave no room in the first.
    platform:
        What runs the cluster.
    image:
        Of the training job, by its digest; without it the job is written as a comment.
    job_command:
        Words that start the run on each node; empty where no job is written.
    """

    name: str
    account: str
    region: str
    zone: str
    instance_type: str
    nodes: int
    spares: int
    capacity_kind: str
    hours: float
    plan_file: str
    command: str
    arn: str | None = None
    budget_usd: float | None = None
    reasons: tuple[str, ...] = ()
    schema: str | None = None
    secondary_cidrs: tuple[str, ...] = ()
    platform: PlatformName = "hyperpod-slurm"
    image: str | None = None
    job_command: tuple[str, ...] = ()


def zone_of(instance_type: str, region: str, catalog: Catalog) -> str:
    """An ordinary zone of the region that offers the type; a local zone only where no other does.

    Of several the last is taken, as `use1-az6` is where the examples stand; the account's own
    capacity decides in the end, and `clusterwright check` looks there.

    Raises
    ------
    GoalError
        The region does not offer it, or no source says where it is offered.
    """
    offered = catalog.offering(instance_type, region)
    if not isinstance(offered, Known):
        raise GoalError(
            f"no source says which zones of {region} offer {instance_type}: {offered.reason}",
            "state --zone",
            field="zone",
        )
    if not offered.value:
        raise GoalError(f"{instance_type} is not offered in {region}", field="region")
    ordinary = sorted(zone for zone in offered.value if not is_local(zone))
    return ordinary[-1] if ordinary else sorted(offered.value)[0]


def controller_for(nodes: int) -> str:
    """The controller's type for so many nodes."""
    return next((name for most, name in CONTROLLERS if nodes <= most), LARGEST_CONTROLLER)


def write(choices: SpecChoices, storage: StoragePlan, catalog: Catalog) -> str:
    """The file's text.

    Raises
    ------
    GoalError
        The platform takes no such capacity.
    """
    rules = traits_of(choices.platform)
    if choices.capacity_kind not in rules.capacity_kinds:
        kind = choices.capacity_kind
        raise GoalError(
            f"platform {choices.platform} takes no {kind}: {rules.refused_capacity[kind]}",
            f"{' or '.join(sorted(rules.capacity_kinds))}; for {kind}: "
            f"{who_can(f'capacity.{kind}')}",
            field="capacity",
        )
    return "\n".join(_lines(choices, storage, catalog)) + "\n"


def _lines(choices: SpecChoices, storage: StoragePlan, catalog: Catalog) -> Iterator[str]:
    if choices.schema:
        yield f"# yaml-language-server: $schema={choices.schema}"
        yield "#"
    yield f"# Written by `{choices.command}`;"
    yield f"# the plan is {choices.plan_file}, and `clusterwright diff` says when they part."
    if choices.reasons:
        yield "#"
        yield from (f"# {reason}" for reason in choices.reasons)
    yield ""
    yield f"environment: {choices.name}"
    yield f'account: "{choices.account}"'
    yield f"region: {choices.region}"
    if choices.platform != "hyperpod-slurm":
        yield f"platform: {choices.platform}"
    yield "protection: retain"
    yield ""
    yield "network:"
    yield f"  availability_zone_id: {choices.zone}"
    if choices.secondary_cidrs:
        what = "control plane" if choices.platform in KUBERNETES else "database"
        yield f"  # The nodes fill the first range; this is for the {what} and NAT."
        yield f"  secondary_cidrs: [{', '.join(choices.secondary_cidrs)}]"
    yield ""
    yield from _compute(choices, catalog)
    yield ""
    yield from _storage(choices, storage)
    yield ""
    yield from _scheduler(choices, len(list(_groups(choices, catalog))))
    yield ""
    yield from _run(choices, storage)


def _scheduler(choices: SpecChoices, groups: int) -> Iterator[str]:
    """Slurm's settings, or what runs on Kubernetes; base.yaml's are those of HyperPod's Slurm."""
    if choices.platform == "hyperpod-slurm":
        yield "slurm:"
        yield "  accounting: {kind: rds}"
    elif choices.platform == "parallelcluster":
        yield "slurm:"
        yield "  configuration: null               # ParallelCluster configures Slurm itself"
        yield "  accounting: {kind: rds}"
    else:
        yield "slurm: null                         # base.yaml's, which Kubernetes has no use for"
        yield ""
        yield "tenants:"
        yield "  - {name: training}"
        if choices.job_command:
            yield ""
            yield from _job(choices, groups)


def _job(choices: SpecChoices, groups: int) -> Iterator[str]:
    """The run as a job; `clusterwright render kubernetes --part jobs` prints its manifest."""
    managed = choices.platform == "hyperpod-eks"
    if groups > 1:
        yield f"# The run's nodes are of {groups} groups, and a job is of one: start it"
        yield "# with a manifest of your own and the settings beside this file."
        return
    mark = "" if choices.image is not None else "#"
    if managed:
        yield "hyperpod:"
        yield "  addons:"
        yield "    - {name: training-operator}"
        yield ""
    if mark:
        yield "# The run as a job: give its image by digest, and take the marks off. Then"
    else:
        yield "# The run as a job:"
    yield "# `clusterwright render kubernetes --part jobs` prints the manifest."
    for word in choices.job_command:
        flag, _, file = word.partition("=")
        if flag == "--job.config_file":
            yield f"# It reads {file}: copy it there first."
    image = choices.image or "registry.example/training@sha256:<the digest of your image>"
    yield f"{mark}kubernetes:"
    yield f"{mark}  workloads:"
    yield f"{mark}    jobs:"
    yield f"{mark}      - name: {choices.name}"
    yield f"{mark}        kind: {'hyperpod-pytorch' if managed else 'pytorch'}"
    yield f"{mark}        tenant: training"
    yield f"{mark}        group: workers"
    yield f"{mark}        node_count: {choices.nodes}"
    yield f"{mark}        image: {image}"
    yield f"{mark}        command:"
    for word in choices.job_command:
        yield f"{mark}          - {json.dumps(word)}"


def _compute(choices: SpecChoices, catalog: Catalog) -> Iterator[str]:
    groups = list(_groups(choices, catalog))
    total = sum(count for count, _ in groups)
    yield "compute:"
    if choices.platform in KUBERNETES:
        yield "  # For DNS, the drivers' controllers and whatever else jobs need beside them."
        yield f"  - {SYSTEM_NODES}"
    else:
        controller, login = (_beside(choices, catalog, n) for n in (controller_for(total), LOGIN))
        yield (
            f"  - {{name: controller, role: controller, instance_type: {controller}, count: 1}}"
        )
        yield f"  - {{name: login, role: login, instance_type: {login}, count: 1}}"
    spares = total - choices.nodes
    train = "1 node trains" if choices.nodes == 1 else f"{choices.nodes} nodes train"
    wait = "1 waits" if spares == 1 else f"{spares} wait"
    if traits_of(choices.platform).keeps_spares(choices.capacity_kind, choices.instance_type):
        yield f"  # {train}, {wait} to replace one that fails."
    else:
        yield f"  # {train}; another is launched in the place of one that fails."
    for number, (count, kept) in enumerate(groups, 1):
        yield from _group(choices, catalog, number if len(groups) > 1 else None, count, kept)


def _groups(choices: SpecChoices, catalog: Catalog) -> Iterator[tuple[int, int]]:
    """(instances, spares) of each group: one, or one for each plan that has to be bought.

    Raises
    ------
    GoalError
        Only whole UltraServers can run, and the run's nodes are none.
    """
    kept = traits_of(choices.platform).keeps_spares(choices.capacity_kind, choices.instance_type)
    wanted = choices.nodes + (choices.spares if kept else 0)
    server = _ultraserver_instances(choices.instance_type, catalog)
    if choices.capacity_kind == "capacity-block" and server and not kept:
        yield from ((size, 0) for size in _whole_servers(choices.nodes))
        return
    if choices.capacity_kind not in ("training-plan", "capacity-block"):
        whole = math.ceil(wanted / server) * server if server and kept else wanted
        yield whole, whole - choices.nodes
        return
    # UltraServers are sold whole; what is more than wanted is spare.
    sizes = [server] * math.ceil(wanted / server) if server else block_sizes(wanted)
    left = sum(sizes) - choices.nodes
    for size in sizes:
        # A group keeps at least one instance for jobs.
        spare = min(size - 1, left)
        left -= spare
        yield size, spare


def _whole_servers(nodes: int) -> list[int]:
    """The UltraServers of ParallelCluster that have as many instances as the run has nodes."""
    small, large = ULTRASERVER_SIZES
    if nodes % small:
        more = math.ceil(nodes / small) * small
        raise GoalError(
            f"ParallelCluster runs whole UltraServers of {small} or {large} nodes, and the run "
            f"has {nodes}",
            f"--nodes {more}",
            field="nodes",
        )
    return [large] * (nodes // large) + [small] * (nodes % large // small)


def _beside(choices: SpecChoices, catalog: Catalog, wanted: str) -> str:
    """The type of a node beside the workers: `wanted`, or its counterpart of their kind."""
    workers = catalog.instance(choices.instance_type)
    architecture = workers.architecture if workers is not None else None
    if choices.platform != "parallelcluster" or not isinstance(architecture, Known):
        return wanted
    return GRAVITON[wanted] if architecture.value == "arm64" else wanted


def _ultraserver_instances(instance_type: str, catalog: Catalog) -> int | None:
    """Instances of the largest UltraServer that this type comes in; `None` where it does not."""
    sizes = [
        server.instance_count.value
        for server in catalog.ultraservers.values()
        if isinstance(server.instance_type, Known)
        and isinstance(server.instance_count, Known)
        and server.instance_type.value == instance_type
    ]
    return max(sizes, default=None)


def _group(
    choices: SpecChoices, catalog: Catalog, number: int | None, count: int, spares: int
) -> Iterator[str]:
    suffix = "" if number is None else f"-{number}"
    yield f"  - name: workers{suffix}"
    yield "    role: compute"
    yield f"    instance_type: {choices.instance_type}"
    yield f"    count: {count}"
    if spares:
        yield f"    spare_count: {spares}"
    if choices.capacity_kind == "training-plan":
        arn = choices.arn if number in {None, 1} else None
        if arn is None:
            yield "    # To be bought: until its ARN stands here, `clusterwright check` fails."
            arn = (
                f"arn:aws:sagemaker:{choices.region}:{choices.account}:training-plan/"
                f"to-be-bought{suffix}"
            )
        yield f'    capacity: {{kind: training-plan, arn: "{arn}"}}'
    elif choices.capacity_kind in RESERVED_KINDS:
        yield "    # To be bought: until its id stands here, `clusterwright check` fails."
        yield f"    capacity: {{kind: {choices.capacity_kind}, id: {UNBOUGHT}}}"
    else:
        yield f"    capacity: {{kind: {choices.capacity_kind}}}"
    instance = catalog.instance(choices.instance_type)
    nvme = instance.local_nvme if instance else None
    if isinstance(nvme, Known) and nvme.value.count:
        if choices.platform == "eks":
            yield "    scratch: {}                     # emptyDir volumes are on these drives"
        else:
            yield f"    scratch: {{mount_path: {SCRATCH_PATH}}}"


def _storage(choices: SpecChoices, storage: StoragePlan) -> Iterator[str]:
    chosen = storage.chosen
    yield "storage:"
    yield "  lustre:"
    yield "    - mount_path: /fsx"
    yield (
        f"      # {storage.capacity_needed_gib:,.0f} GiB are needed, and "
        f"{storage.needed_gbytes_per_s:.3g} GB/s; this gives {chosen.gbytes_per_s:.3g} GB/s."
    )
    yield f"      capacity_gib: {chosen.capacity_gib}"
    yield f"      throughput_mbps_per_tib: {chosen.throughput_mbps_per_tib}"
    if chosen.efa:
        yield "      efa: true"
    if chosen.metadata_iops is not None:
        yield f"      metadata: {{mode: provisioned, iops: {chosen.metadata_iops}}}"
    if choices.platform not in KUBERNETES:
        yield "  home: {kind: openzfs, capacity_gib: 512}"
    yield "  checkpoint_path: /fsx/checkpoints"


def _run(choices: SpecChoices, storage: StoragePlan) -> Iterator[str]:
    yield f"# {choices.hours / 24:g} days: with nine chances in ten the run is over by then."
    yield "run:"
    yield f"  hours: {choices.hours:g}"
    gib = storage.checkpoint_bytes / 2**30
    yield f"  checkpoint_gib: {math.ceil(gib)}"
    minutes = storage.interval_seconds / 60
    yield f"  checkpoint_interval_minutes: {min(10_080.0, max(1.0, round(minutes, 1))):g}"
    if choices.budget_usd is not None:
        yield ""
        yield "# P90 of the compute alone. A gate is unknown while a price is: state yours first."
        yield f"#budget: {{run_usd: {math.ceil(choices.budget_usd)}}}"

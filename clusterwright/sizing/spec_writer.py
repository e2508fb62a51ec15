"""The environment's file of a plan: what `clusterwright plan --write` puts into configs/.

Text, not data: a reviewer reads it, so each value that the plan chose says why beside it. Laid
over configs/base.yaml like every other file; what the plan does not decide keeps its default.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.platforms.network import is_local
from clusterwright.sizing.capacity import block_sizes
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.storage import Storage

CONTROLLERS: Final = ((16, "m5.4xlarge"), (128, "m5.8xlarge"), (512, "m5.12xlarge"))
"""Controller by compute nodes, as the examples of configs/; above, the largest."""
LARGEST_CONTROLLER: Final = "m5.24xlarge"
SCRATCH_PATH: Final = "/scratch"


@dataclass(frozen=True)
class SpecChoices:
    """What the file says besides the storage.

    Attributes
    ----------
    nodes, spares:
        That run, and that wait; the group has both.
    capacity_kind, arn:
        `on-demand`, `spot` or `training-plan`; the last with its ARN, or `None` where it is still
        to be bought.
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


def write(choices: SpecChoices, storage: Storage, catalog: Catalog) -> str:
    """The file's text.

    Raises
    ------
    GoalError
        The capacity cannot be written for this type.
    """
    return "\n".join(_lines(choices, storage, catalog)) + "\n"


def _lines(choices: SpecChoices, storage: Storage, catalog: Catalog) -> Iterator[str]:
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
    yield "protection: retain"
    yield ""
    yield "network:"
    yield f"  availability_zone_id: {choices.zone}"
    if choices.secondary_cidrs:
        yield "  # The nodes fill the first range; this is for the database and NAT."
        yield f"  secondary_cidrs: [{', '.join(choices.secondary_cidrs)}]"
    yield ""
    yield from _compute(choices, catalog)
    yield ""
    yield from _storage(storage)
    yield ""
    yield "slurm:"
    yield "  accounting: {kind: rds}"
    yield ""
    yield from _run(choices, storage)


def _compute(choices: SpecChoices, catalog: Catalog) -> Iterator[str]:
    groups = list(_groups(choices, catalog))
    total = sum(count for count, _ in groups)
    yield "compute:"
    yield (
        f"  - {{name: controller, role: controller, instance_type: {controller_for(total)}, "
        "count: 1}"
    )
    yield "  - {name: login, role: login, instance_type: m5.4xlarge, count: 1}"
    spares = total - choices.nodes
    train = "1 node trains" if choices.nodes == 1 else f"{choices.nodes} nodes train"
    wait = "1 waits" if spares == 1 else f"{spares} wait"
    yield f"  # {train}, {wait} to replace one that fails."
    for number, (count, kept) in enumerate(groups, 1):
        yield from _group(choices, catalog, number if len(groups) > 1 else None, count, kept)


def _groups(choices: SpecChoices, catalog: Catalog) -> Iterator[tuple[int, int]]:
    """(instances, spares) of each group: one, or one for each plan that has to be bought."""
    wanted = choices.nodes + choices.spares
    server = _ultraserver_instances(choices.instance_type, catalog)
    if choices.capacity_kind != "training-plan":
        whole = math.ceil(wanted / server) * server if server else wanted
        yield whole, whole - choices.nodes
        return
    # UltraServers are sold whole; what is more than wanted is spare.
    sizes = [server] * math.ceil(wanted / server) if server else block_sizes(wanted)
    left = sum(sizes) - choices.nodes
    for size in sizes:
        # A group keeps at least one instance for jobs.
        kept = min(size - 1, left)
        left -= kept
        yield size, kept


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
    elif choices.capacity_kind in {"on-demand", "spot"}:
        yield f"    capacity: {{kind: {choices.capacity_kind}}}"
    else:
        raise GoalError(
            f"platform hyperpod-slurm takes no {choices.capacity_kind}",
            "on-demand, spot or training-plan; a capacity block needs parallelcluster or eks",
            field="capacity",
        )
    instance = catalog.instance(choices.instance_type)
    nvme = instance.local_nvme if instance else None
    if isinstance(nvme, Known) and nvme.value.count:
        yield f"    scratch: {{mount_path: {SCRATCH_PATH}}}"


def _storage(storage: Storage) -> Iterator[str]:
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
    yield "  home: {kind: openzfs, capacity_gib: 512}"
    yield "  checkpoint_path: /fsx/checkpoints"


def _run(choices: SpecChoices, storage: Storage) -> Iterator[str]:
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

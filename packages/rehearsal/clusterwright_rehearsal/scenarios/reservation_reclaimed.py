"""The owner of an interruptible capacity reservation reclaims it under a job on AWS PCS.

EC2 announces it two minutes before with an event of EventBridge (EC2 user guide,
monitor-interruptible-cr). No notice in the instances' metadata is documented, so no job gets a
signal, and here the instances end at once. The job continues from its last checkpoint when the
reservation has instances again.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 160
SECONDS = 150
MODES = ("pcs",)

PROMISES = {
    "deploys": "a deployment moves a group to the reservation, with its purchase option",
    "requeued": "its instances end, Slurm marks their nodes down, and the job is requeued",
    "no-other": "no other capacity is used, and the other nodes are kept",
    "job-again": "with capacity again, new instances run the job from its checkpoint",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    group = context.compute[-1].group
    names = [node.name for node in context.compute if node.group == group]
    before = next(entry for entry in context.spec["compute"] if entry["name"] == group)["capacity"]
    source, lent = _reserve(context, names)
    capacity = {"kind": "reservation", "id": lent, "interruptible": True}
    try:
        with context.promise("deploys"):
            context.deploy(lambda spec: _set_capacity(spec, group, capacity))
            context.wait_idle(within_s=180)
            used = {_reservation_of(context, name) for name in names}
            context.expect(used == {lent}, f"its instances are in {used}")
        _reclaim(context, group, names, source)
    finally:
        context.deploy(lambda spec: _set_capacity(spec, group, before))
        context.wait_idle(within_s=180)
        for reservation in (lent, source):
            context.aws("ec2").cancel_capacity_reservation(CapacityReservationId=reservation)


def _reclaim(context: PcsContext, group: str, names: list[str], source: str) -> None:
    partition = partition_of(context, group)
    count = jobs.start_counting(context, options=[f"--partition={partition}"] if partition else [])
    ended = {name: context.node(name).instance_id for name in names}
    others = {node.name: node.instance_id for node in context.nodes() if node.group != group}
    try:
        with context.promise("requeued"):
            saved = count.step
            _lend(context, source, 0)
            count.job.wait("PENDING", within_s=90)
            context.wait_for(lambda: _not_down(context, names), within_s=60)
            shown = count.job.show()
            context.note(f"reason {shown.get('Reason')}, restarts {shown.get('Restarts')}")

        with context.promise("no-other"):
            there = {node.name: node.instance_id for node in context.nodes()}
            context.expect(there == others, f"there are {sorted(there.items())}")

        with context.promise("job-again"):
            _lend(context, source, len(names))
            context.wait_for(lambda: _absent(context, names), within_s=60)
            for name in names:
                context.wait_running(context.node(name), but=ended[name])
            count.expect_restart(saved)
    finally:
        _lend(context, source, len(names))
        count.job.cancel()


def _reserve(context: PcsContext, names: list[str]) -> tuple[str, str]:
    """A reservation, and the interruptible one split from it, for the group's instances."""
    ec2, instance = context.aws("ec2"), _instance(context, names[0])
    source = ec2.create_capacity_reservation(
        InstanceType=instance["InstanceType"],
        InstancePlatform="Linux/UNIX",
        AvailabilityZone=instance["Placement"]["AvailabilityZone"],
        InstanceCount=len(names),
        InstanceMatchCriteria="targeted",
    )["CapacityReservation"]["CapacityReservationId"]
    ec2.create_interruptible_capacity_reservation_allocation(
        CapacityReservationId=source, InstanceCount=len(names)
    )
    shown = ec2.describe_capacity_reservations(CapacityReservationIds=[source])
    (found,) = shown["CapacityReservations"]
    return source, found["InterruptibleCapacityAllocation"]["InterruptibleCapacityReservationId"]


def _lend(context: PcsContext, source: str, count: int) -> None:
    context.aws("ec2").update_interruptible_capacity_reservation_allocation(
        CapacityReservationId=source, TargetInstanceCount=count, ZeroSizePreference="retain"
    )


def _set_capacity(spec: dict[str, Any], group: str, capacity: Any) -> None:
    for entry in spec["compute"]:
        if entry["name"] == group:
            entry["capacity"] = capacity


def _instance(context: PcsContext, name: str) -> dict[str, Any]:
    identifier = context.node(name).instance_id
    (found,) = context.aws("ec2").describe_instances(InstanceIds=[identifier])["Reservations"]
    return dict(found["Instances"][0])


def _reservation_of(context: PcsContext, name: str) -> str | None:
    return _instance(context, name).get("CapacityReservationId")


def _not_down(context: PcsContext, names: list[str]) -> str | None:
    lines = context.slurm(f"sinfo -h -N -n {','.join(names)} -o '%N %T'").splitlines()
    wrong = [line for line in lines if not line.split()[1].lower().startswith("down")]
    return "; ".join(wrong) or None


def _absent(context: PcsContext, names: list[str]) -> str | None:
    absent = set(names) - {node.name for node in context.nodes()}
    return f"{', '.join(sorted(absent))} without an instance" if absent else None

"""Lustre's client on a new node transfers over TCP, although the file system has EFA.

Templates for AWS PCS enable EFA on the file system only, and leave the clients to the user
(awslabs/awsome-distributed-ai, aws-pcs/README.md): Lustre then uses TCP, and nothing reports it.
The node program configures LNet and measures; a node whose data does not use EFA takes no job.
There is no LNet here: the counters of the emulated interfaces stand still, or increase with every
read.
"""

from __future__ import annotations

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 54
SECONDS = 30
MODES = ("pcs",)
_UNIT = "clusterwright-lnet-efa.service"

PROMISES = {
    "set-up": "every node with EFA has LNet on its EFA interfaces, also after a reboot",
    "says-why": "a new instance whose data does not use EFA fails, and the log names the step",
    "recovers": "a further instance, whose data uses EFA, joins and takes jobs",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    file_systems = [entry for entry in context.cluster.storage.lustre if entry.efa]
    if not file_systems:
        context.skip("no Lustre file system of the spec has EFA")
    nodes = [one for one in context.compute if one.run("ls /sys/class/infiniband/*").ok]
    if not nodes:
        context.skip("no compute node has EFA")
    with context.promise("set-up"):
        for one in nodes:
            devices = set(one.must("ls /sys/class/infiniband").split())
            shown = one.must("lnetctl net show --net efa")
            missing = {device for device in devices if f": {device}\n" not in shown}
            context.expect(not missing, f"{one}: LNet has no interface on {sorted(missing)}")
            one.must(f"systemctl is-enabled --quiet {_UNIT}")
        context.note(f"{len(nodes)} nodes")

    node = nodes[-1]
    before = node.instance_id
    context.hold_scripts(True)
    try:
        context.crash(node)
        failed = context.wait_held(node, but=before)
        context.node(node.name).put_fault("lnet-silent")
    finally:
        context.hold_scripts(False)
    with context.promise("says-why"):
        context.wait_for(lambda: _not_failed(context, failed), within_s=240)
        lines = context.logs_of(node.name, failed)
        for words in ("step efa_transport failed", "does not use EFA", "What to do"):
            context.expect(
                any(words in line for line in lines), f"{words!r} is not in {lines[-1:]}"
            )
        context.note(lines[-1].strip())

    with context.promise("recovers"):
        context.wait_running_past(node, failed=failed)
        context.wait_idle()
        fresh = context.node(node.name)
        fresh.must(f"grep -q 'uses EFA' /run/clusterwright/efa-transport-{file_systems[0].name}")
        jobs.expect_job(context, fresh)


def _not_failed(context: PcsContext, instance: str) -> str | None:
    return None if context.failure_of(instance) else f"{instance} has not failed yet"

"""ParallelCluster's Slurm knows where each node stands, also after an instance was replaced.

With `slurm.topology: tree`. The head node's custom action tells slurmctld what EC2 says of the
instances that there are by then; a timer looks every minute whether nodes have others.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 48
MODES = ("parallelcluster",)
_SERVICE = "clusterwright-topology.service"

PROMISES = {
    "told": "each node with an instance hangs on the switch that EC2 names for that instance",
    "one-job": "a job may have all nodes of a partition: every switch is below one",
    "follows": "the node of a replaced instance hangs where the new one stands",
    "survives": "slurmctld starts after ParallelCluster has removed topology.conf",
}


def run(context: ScenarioContext) -> None:
    if context.cluster.slurm.topology != "tree":
        context.skip("slurm.topology is not tree")
    head = context.controller
    with context.promise("told"):
        head.must("systemctl is-active --quiet clusterwright-topology.timer")
        # Not in a minute: now.
        head.must(f"systemctl start {_SERVICE}", timeout_s=120)
        context.note(_expect_places(context))

    with context.promise("one-job"):
        group = context.compute[0].group
        count = sum(node.group == group for node in context.compute)
        job = context.submit("srun hostname", nodes=count)
        job.wait("COMPLETED", within_s=120)

    with context.promise("follows"):
        node = context.compute[0]
        before = node.instance_id
        context.crash(node)
        context.wait_running(node, but=before)
        head.must(f"systemctl start {_SERVICE}", timeout_s=120)
        context.note(_expect_places(context))

    with context.promise("survives"):
        shown = _shown(context)
        head.must("rm /opt/slurm/etc/topology.conf && systemctl restart slurmctld")
        context.wait_for(
            lambda: None if _shown(context) == shown else "slurmctld has another topology",
            within_s=60,
        )
        context.wait_idle()


def _expect_places(context: ScenarioContext) -> str:
    nodes = {node.instance_id: node.host for node in context.compute}
    answer = context.aws("ec2").describe_instance_topology(InstanceIds=sorted(nodes))
    said = {
        nodes[one["InstanceId"]]: one["NetworkNodes"][-1]
        for one in answer["Instances"]
        if one.get("NetworkNodes")
    }
    context.expect(said, "EC2 says nothing of these nodes")
    shown = _shown(context)
    for host, switch in said.items():
        context.expect(shown.get(host) == switch, f"{host} is on {shown.get(host)}, not {switch}")
    return f"{len(said)} nodes on {len(set(said.values()))} switches"


def _shown(context: ScenarioContext) -> dict[str, str]:
    """Node to the switch that it hangs on, as slurmctld has it."""
    found = {}
    for line in context.controller.run("scontrol show topology").stdout.splitlines():
        words = dict(word.partition("=")[::2] for word in line.split())
        if words.get("Level") == "0":
            names = context.slurm(f"scontrol show hostnames {words['Nodes']}").split()
            found.update(dict.fromkeys(names, words["SwitchName"]))
    return found

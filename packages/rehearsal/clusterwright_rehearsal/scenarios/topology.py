"""ParallelCluster's Slurm knows the topology of the nodes, also after a replacement.

With `slurm.topology: tree`. The head node's custom action configures slurmctld with the topology
of the instances in EC2; a timer checks every minute whether the instances have changed.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 48
MODES = ("parallelcluster",)
_SERVICE = "clusterwright-topology.service"

PROMISES = {
    "told": "each node with an instance is connected to the switch that EC2 reports for it",
    "one-job": "a job can use all nodes of a partition: all switches have a common root",
    "follows": "after a replacement the node is connected to the switch of the new instance",
    "survives": "slurmctld starts after ParallelCluster has removed topology.conf",
}


def run(context: ScenarioContext) -> None:
    if context.cluster.slurm.topology != "tree":
        context.skip("slurm.topology is not tree")
    head = context.controller
    with context.promise("told"):
        head.must("systemctl is-active --quiet clusterwright-topology.timer")
        _follow(context)
        context.note(_expect_topology(context))

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
        _follow(context)
        context.note(_expect_topology(context))

    with context.promise("survives"):
        shown = _shown(context)
        head.must("rm /opt/slurm/etc/topology.conf && systemctl restart slurmctld")
        context.wait_for(
            lambda: None if _shown(context) == shown else "slurmctld has another topology",
            within_s=60,
        )
        context.wait_idle()


def _follow(context: ScenarioContext) -> None:
    """Start the timer's service immediately, and again after a failure, as the timer does."""

    def failure() -> str | None:
        if context.controller.run(f"systemctl start {_SERVICE}", timeout_s=120).ok:
            return None
        journal = context.controller.run(f"journalctl -u {_SERVICE} -n 3 -o cat").stdout
        return f"{_SERVICE} fails: {' | '.join(journal.splitlines())}"

    context.wait_for(failure, within_s=120)


def _expect_topology(context: ScenarioContext) -> str:
    nodes = {node.instance_id: node.host for node in context.compute}
    answer = context.aws("ec2").describe_instance_topology(InstanceIds=sorted(nodes))
    said = {
        nodes[row["InstanceId"]]: row["NetworkNodes"][-1]
        for row in answer["Instances"]
        if row.get("NetworkNodes")
    }
    context.expect(said, "EC2 returns no topology of these nodes")
    shown = _shown(context)
    for host, switch in said.items():
        context.expect(shown.get(host) == switch, f"{host} is on {shown.get(host)}, not {switch}")
    return f"{len(said)} nodes on {len(set(said.values()))} switches"


def _shown(context: ScenarioContext) -> dict[str, str]:
    """Host name → switch, as shown by slurmctld."""
    found = {}
    for line in context.controller.run("scontrol show topology").stdout.splitlines():
        words = dict(word.partition("=")[::2] for word in line.split())
        if words.get("Level") == "0":
            names = context.slurm(f"scontrol show hostnames {words['Nodes']}").split()
            found.update(dict.fromkeys(names, words["SwitchName"]))
    return found

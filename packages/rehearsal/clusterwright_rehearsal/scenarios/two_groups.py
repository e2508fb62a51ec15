"""A job with accelerators on several nodes, a dependency, and their accounting records."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 10
SECONDS = 5
DEFAULT = True
NEEDS_COMPUTE = 2
ANY_SCRIPTS = True

PROMISES = {
    "runs": "a job on two nodes sees all accelerators of both",
    "groups": "a heterogeneous job runs on two groups at once, if the cluster has two",
    "dependency": "a job that depends on another starts after it",
    "accounting": "sacct has both jobs, with nodes and accelerators",
}


def run(context: ScenarioContext) -> None:
    gres = _gres(context)
    with context.promise("runs"):
        options = [f"--gres={gres}"] if gres else []
        options += _partition(context, context.compute[0].group)
        first = context.submit(
            "srun bash -c 'echo \"$(hostname) ${CUDA_VISIBLE_DEVICES:-none}\"'",
            nodes=2,
            options=options,
        )
        first.wait("COMPLETED", within_s=60)
        lines = sorted(first.output().split("\n"))
        found = {words[0]: words[1] for line in lines if len(words := line.split()) == 2}
        context.expect(len(found) == 2, f"two hosts, not {first.output()!r}")
        if gres.startswith("gpu"):
            count = int(gres.rpartition(":")[2])
            wrong = {h: v for h, v in found.items() if len(v.split(",")) != count}
            context.expect(not wrong, f"{count} GPUs on each node, not {wrong}")

    with context.promise("groups"):
        groups = list(dict.fromkeys(node.group for node in context.compute))
        if len(groups) >= 2:
            parts = [" ".join([*_partition(context, group), "-N1"]) for group in groups[:2]]
            printed = context.slurm(
                f"cd /tmp && srun --het-group=0,1 {parts[0]} : {parts[1]} hostname"
            )
            context.expect(len(set(printed.split())) == 2, f"two hosts, not {printed!r}")
        else:
            context.note("one compute group only")

    with context.promise("dependency"):
        second = context.submit("echo second", options=[f"--dependency=afterok:{first.id}"])
        second.wait("COMPLETED", within_s=60)

    with context.promise("accounting"):
        if context.cluster.slurm.accounting.kind == "none":
            context.note("the spec has no accounting")
            return

        def missing() -> str | None:
            text = context.slurm(
                f"sacct -n -X -P -j {first.id},{second.id} -o JobID,State,NNodes,AllocTRES"
            )
            rows = {line.split("|")[0]: line.split("|")[1:] for line in text.splitlines()}
            for job, nodes in ((first, "2"), (second, "1")):
                row = rows.get(job.id)
                if row is None or row[0] != "COMPLETED" or row[1] != nodes:
                    return f"sacct shows {text!r}"
            if gres and f"gres/{gres.split(':')[0]}=" not in rows[first.id][2]:
                return f"sacct counts no accelerators: {text!r}"
            return None

        context.wait_for(missing, within_s=30)


def _gres(context: ScenarioContext) -> str:
    """`gpu:8` of the first compute node; empty without accelerators."""
    shown = context.slurm(f"scontrol --oneliner show node {context.compute[0].host}")
    value = next((w.partition("=")[2] for w in shown.split() if w.startswith("Gres=")), "(null)")
    return "" if value == "(null)" else value.partition("(")[0]


def _partition(context: ScenarioContext, group: str) -> list[str]:
    """The option for the partition of the group in Slurm."""
    host = context.nodes(group=group)[0].host
    found = context.slurm(f"sinfo -h -n {host} -o %R").split()
    if not found:
        context.cannot_determine(f"{host} is in no partition")
    return [f"--partition={found[0]}"]

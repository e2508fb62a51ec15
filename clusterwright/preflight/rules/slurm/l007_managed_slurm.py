"""What a spec says of Slurm, and HyperPod's slurm.conf decides in managed mode.

What stands in slurm.conf itself is refused by the spec (priority weights, timeouts, preemption).
What is kept elsewhere can be said, and whether it does anything depends on a file that HyperPod
writes.
"""

from __future__ import annotations

from clusterwright.preflight.rule import (
    Context,
    Fail,
    Path,
    Results,
    Rule,
    Severity,
    Subject,
    Subjects,
)


class ManagedSlurm(Rule[tuple[str, Severity]]):
    id = "CW-L007"
    title = "What the spec says of Slurm has an effect in managed mode"
    severity = "warning"
    scope = "offline"
    prevents = "spares that take jobs, and limits and priorities that bind nobody"
    source = (
        "AWS documentation, HyperPod Slurm API configuration: HyperPod writes slurm.conf; "
        "slurm.conf(5), AccountingStorageEnforce and PriorityType"
    )

    def subjects(self, context: Context) -> Subjects[tuple[str, Severity]]:
        """Values that do nothing, and values whose effect is not known."""
        cluster = context.cluster
        slurm = cluster.slurm
        if cluster.platform != "hyperpod-slurm" or slurm.configuration != "managed":
            return
        for index, group in enumerate(cluster.compute):
            if group.spare_count:
                text = (
                    f"HyperPod's slurm.conf keeps no node free: the {group.spare_count} spare "
                    f"nodes of `{group.name}` take jobs like the others"
                )
                yield Subject(("compute", index, "spare_count"), (text, "warning"))
        if slurm.accounting.kind != "none":
            for key in ("qos", "accounts"):
                if getattr(slurm, key):
                    text = (
                        f"priorities and limits of {key} are kept in the database; whether they "
                        "bind is said in HyperPod's slurm.conf, which was not seen"
                    )
                    yield Subject(("slurm", key), (text, "info"))
        if slurm.restrict_ssh_to_jobs:
            text = (
                "it needs `Contain` in the PrologFlags of HyperPod's slurm.conf, which was not "
                "seen; a node without it fails at boot"
            )
            yield Subject(("slurm", "restrict_ssh_to_jobs"), (text, "warning"))

    def check(self, effect: tuple[str, Severity], path: Path) -> Results:
        text, severity = effect
        hint = (
            "`slurm: {configuration: scripted}` keeps spares free; or leave spare_count out"
            if path[-1] == "spare_count"
            else "`slurm: {configuration: scripted}` decides it here; otherwise the log of the "
            "controller says what does not bind (step managed_limits)"
        )
        yield Fail(message=text, severity=severity, hint=hint)


RULE = ManagedSlurm()

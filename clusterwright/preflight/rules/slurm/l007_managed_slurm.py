"""Slurm settings have an effect in managed mode.

The spec refuses settings of slurm.conf itself (priority weights, timeouts, preemption). Settings
that are stored elsewhere are accepted, but their effect depends on the slurm.conf that HyperPod
writes.
"""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Severity, Subjects


class ManagedSlurm(Rule[tuple[str, Severity]]):
    id = "CW-L007"
    severity = "warning"
    prevents = "limits and priorities without effect"
    source = (
        "AWS documentation, HyperPod Slurm API configuration: HyperPod writes slurm.conf; "
        "slurm.conf(5), AccountingStorageEnforce and PriorityType"
    )

    def subjects(self, context: Context) -> Subjects[tuple[str, Severity]]:
        """Settings without effect, and settings whose effect is not known."""
        cluster = context.cluster
        slurm = cluster.slurm
        if not (context.on_hyperpod and cluster.uses_slurm) or slurm.configuration != "managed":
            return
        if slurm.accounting.kind != "none":
            for key in ("qos", "accounts"):
                if getattr(slurm, key):
                    text = (
                        f"priorities and limits of {key} are stored in the database; whether "
                        "Slurm enforces them depends on HyperPod's slurm.conf, which is not known"
                    )
                    yield ("slurm", key), (text, "info")
        if slurm.restrict_ssh_to_jobs:
            text = (
                "it requires `Contain` in the PrologFlags of HyperPod's slurm.conf, which is not "
                "known; without it a node fails at boot"
            )
            yield ("slurm", "restrict_ssh_to_jobs"), (text, "warning")

    def check(self, effect: tuple[str, Severity]) -> Results:
        text, severity = effect
        hint = (
            "`slurm: {configuration: scripted}` makes the spec decide; otherwise the "
            "controller's log lists what is not enforced (step managed_limits)"
        )
        yield Fail(message=text, severity=severity, hint=hint)

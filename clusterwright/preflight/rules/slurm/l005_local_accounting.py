"""Slurm's accounting records are stored outside the controller.

Checked only if the spec lists users: otherwise the default would be a finding in every spec.
"""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class LocalAccounting(Rule[str]):
    id = "CW-L005"
    severity = "info"
    prevents = "job records, accounts and limits lost when the controller is replaced"
    source = "awslabs/awsome-distributed-ai 95b939cd: MariaDB on the controller's own disk"

    def subjects(self, context: Context) -> Subjects[str]:
        accounting = context.cluster.slurm.accounting
        if accounting.kind != "none" and context.cluster.slurm.users:
            yield ("slurm", "accounting", "kind"), accounting.kind

    def check(self, kind: str, context: Context) -> Results:
        if kind == "local":
            yield Fail(
                message="the accounting database is on the controller's disk: the job records "
                f"of {_users(context)} are lost when the controller is replaced",
                hint="`slurm.accounting: {kind: rds}` keeps them outside the cluster",
            )


def _users(context: Context) -> str:
    count = len(context.cluster.slurm.users)
    return "1 user" if count == 1 else f"{count} users"

"""The users of the spec on ParallelCluster: they exist, sign in, and run jobs within limits."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 15
DEFAULT = True
MODES = ("parallelcluster",)

PROMISES = {
    "everywhere": "every user has the uid and the keys of the spec on every node",
    "job": "a user can sign in on the login node, and a job runs as that user",
    "alone": "a job has its nodes exclusively",
    "limits": "the limits of the spec are enforced, or a log line reports that they are not; our"
    " scripts run",
    "locked-memory": "shells of users may lock memory wherever jobs are submitted",
}


def run(context: ScenarioContext) -> None:
    users = context.cluster.slurm.users
    if not users:
        context.skip("the spec has no users")
    home = context.cluster.storage.home.mount_path if context.cluster.storage.home else "/home"
    with context.promise("everywhere"):
        for node in context.nodes():
            for user in users:
                row = node.must(f"getent passwd {user.name}").strip().split(":")
                context.expect(int(row[2]) == user.uid, f"{user.name} is {row[2]} on {node}")
                keys = node.must(f"cat {home}/{user.name}/.ssh/authorized_keys")
                for key in user.ssh_public_keys:
                    context.expect(key in keys, f"a key of {user.name} is not on {node}")

    login_node: Node = (context.nodes("login") or [context.controller])[0]
    first = users[0]
    with context.promise("job"):
        printed = login_node.must(
            f"cd {home}/{first.name} && srun --nodes=1 id -u", user=first.name, timeout_s=60
        )
        context.expect(printed.strip() == str(first.uid), f"the job ran as {printed.strip()!r}")

    with context.promise("alone"):
        held = context.submit("srun sleep 30")
        held.wait("RUNNING", within_s=60)
        (host,) = held.hosts
        other = context.submit("srun hostname", options=[f"--nodelist={host}"])
        state = other.fields().get("JobState")
        held.cancel()
        context.expect(state == "PENDING", f"a second job on {host} was {state}")
        other.wait("COMPLETED", within_s=60)

    with context.promise("limits"):
        config = context.slurm("scontrol show config")
        asked = bool(context.cluster.slurm.qos or context.cluster.slurm.accounts)
        enforced = "limits" in _value(config, "AccountingStorageEnforce")
        lines = "\n".join(context.logs(context.controller))
        context.expect(
            not asked or enforced or "are not enforced" in lines,
            "the limits of the spec are not enforced, and no log line of the head node reports it",
        )
        folders = _value(config, "Prolog"), _value(config, "Epilog")
        installed = context.controller.must(
            "ls /opt/slurm/etc/scripts/prolog.d /opt/slurm/etc/scripts/epilog.d"
        )
        context.expect(
            installed.count("50_clusterwright") == 2,
            f"prolog.d and epilog.d contain {installed!r}",
        )
        context.expect(
            all("scripts/" in folder for folder in folders), f"slurm.conf has {folders}"
        )

    with context.promise("locked-memory"):
        for node in context.nodes():
            text = node.must("cat /etc/security/limits.d/90-clusterwright.conf")
            for kind in ("soft", "hard"):
                context.expect(f"* {kind} memlock unlimited" in text, f"{node} has {text!r}")
        context.note("the effect of pam_limits is visible only on a machine that may raise limits")


def _value(config: str, key: str) -> str:
    for line in config.splitlines():
        name, _, value = line.partition("=")
        if name.strip() == key or name.strip().startswith(f"{key}["):
            return value.strip()
    return ""

"""The users of the spec on ParallelCluster: they are there, sign in, and run jobs in limits."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Node, Stage

ORDER = 15
MODES = ("parallelcluster",)

PROMISES = {
    "everywhere": "every user has the spec's numbers and keys on every node",
    "job": "a user signs in where people do, and a job runs as that user",
    "alone": "a job has its nodes to itself",
    "limits": "limits of the spec are in force, or a line says that they are not; our scripts run",
    "locked-memory": "shells of users may lock memory wherever a job is submitted",
}


def play(stage: Stage) -> None:
    users = stage.cluster.slurm.users
    if not users:
        stage.not_for_this("the spec has no users")
    home = stage.cluster.storage.home.mount_path if stage.cluster.storage.home else "/home"
    with stage.promise("everywhere"):
        for node in stage.nodes():
            for user in users:
                row = node.must(f"getent passwd {user.name}").strip().split(":")
                stage.expect(int(row[2]) == user.uid, f"{user.name} is {row[2]} on {node}")
                keys = node.must(f"cat {home}/{user.name}/.ssh/authorized_keys")
                for key in user.ssh_public_keys:
                    stage.expect(key in keys, f"a key of {user.name} is not on {node}")

    door: Node = (stage.nodes("login") or [stage.controller])[0]
    first = users[0]
    with stage.promise("job"):
        said = door.must(
            f"cd {home}/{first.name} && srun --nodes=1 id -u", user=first.name, timeout_s=60
        )
        stage.expect(said.strip() == str(first.uid), f"the job ran as {said.strip()!r}")

    with stage.promise("alone"):
        held = stage.submit("srun sleep 30")
        held.wait("RUNNING", within_s=60)
        (host,) = held.hosts
        other = stage.submit("srun hostname", options=[f"--nodelist={host}"])
        state = other.show().get("JobState")
        held.cancel()
        stage.expect(state == "PENDING", f"a second job on {host} was {state}")
        other.wait("COMPLETED", within_s=60)

    with stage.promise("limits"):
        config = stage.slurm("scontrol show config")
        asked = bool(stage.cluster.slurm.qos or stage.cluster.slurm.accounts)
        enforced = "limits" in _value(config, "AccountingStorageEnforce")
        lines = "\n".join(stage.logs(stage.controller))
        stage.expect(
            not asked or enforced or "do not bind" in lines,
            "limits of the spec bind nobody, and no line of the head node says so",
        )
        folders = _value(config, "Prolog"), _value(config, "Epilog")
        ours = stage.controller.must(
            "ls /opt/slurm/etc/scripts/prolog.d /opt/slurm/etc/scripts/epilog.d"
        )
        stage.expect(ours.count("50_clusterwright") == 2, f"the scripts around jobs are {ours!r}")
        stage.expect(all("scripts/" in one for one in folders), f"slurm.conf has {folders}")

    with stage.promise("locked-memory"):
        for node in stage.nodes():
            text = node.must("cat /etc/security/limits.d/90-clusterwright.conf")
            for kind in ("soft", "hard"):
                stage.expect(f"* {kind} memlock unlimited" in text, f"{node} has {text!r}")
        stage.note("what pam_limits makes of it needs a machine that may raise limits")


def _value(config: str, key: str) -> str:
    for line in config.splitlines():
        name, _, value = line.partition("=")
        if name.strip() == key or name.strip().startswith(f"{key}["):
            return value.strip()
    return ""

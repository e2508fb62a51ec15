"""A node is rebooted and replaced through HyperPod's API."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.outcomes import Broken

ORDER = 110
SECONDS = 15
MODES = ("managed",)

PROMISES = {
    "rebooted": "a rebooted node is the same instance, mounts its file systems, restricts the"
    " instance metadata service, and takes jobs",
    "healthy": "after the reboot the node program finds no errors, or corrects them",
    "replaced": "a replaced node is a new instance at the same address, and takes jobs",
}


def run(context: ScenarioContext) -> None:
    node = context.compute[-1]
    before = node.instance_id
    with context.promise("rebooted"):
        boot = node.must(
            "cat /proc/sys/kernel/random/boot_id; systemctl show -p UserspaceTimestamp"
        )
        context.reboot(node)
        context.wait_for(
            lambda: None if _booted_again(context, node.name, boot) else "it has not rebooted",
            within_s=120,
        )
        context.wait_running(node)
        context.expect(node.instance_id == before, "it is another instance")
        for entry in context.cluster.storage.lustre:
            kind = node.must(f"findmnt -n -o FSTYPE {entry.mount_path}").strip()
            context.expect(kind == "lustre", f"{entry.mount_path} is {kind or 'not mounted'}")
        # Before any lifecycle script has run again.
        ask = "timeout 5 bash -c 'exec 3<>/dev/tcp/169.254.169.254/80'"
        reached = node.run(ask, user="ubuntu").ok
        context.expect(not reached, "a user reaches the instance metadata service")
        context.wait_idle()
        jobs.expect_job(context, node)

    with context.promise("healthy"):
        run = node.run_program()
        context.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")
        applied = [step for step, status in run.statuses.items() if status == "applied"]
        context.note(f"corrected: {', '.join(applied) or 'nothing'}")

    with context.promise("replaced"):
        context.replace(node)
        seconds = context.wait_running(node, but=before)
        context.note(f"Running after {seconds:.0f} s")
        context.wait_idle()
        jobs.expect_job(context, node)


def _booted_again(context: ScenarioContext, name: str, boot: str) -> bool:
    try:
        ran = context.node(name).run(
            "cat /proc/sys/kernel/random/boot_id; systemctl show -p UserspaceTimestamp"
        )
    except Broken:  # while it restarts
        return False
    return ran.ok and ran.stdout != boot

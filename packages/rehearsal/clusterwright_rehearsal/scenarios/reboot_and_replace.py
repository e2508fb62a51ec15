"""A node is rebooted and another replaced through HyperPod's API."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Broken, Stage

ORDER = 110
MODES = ("managed",)

PROMISES = {
    "rebooted": "a rebooted node is the same instance, mounts its file systems, and takes jobs",
    "healthy": "after the reboot the node program finds everything right or puts it right",
    "replaced": "a replaced node is a new instance at the same address, and takes jobs",
}


def play(stage: Stage) -> None:
    node = stage.compute[-1]
    before = node.instance_id
    with stage.promise("rebooted"):
        boot = node.must(
            "cat /proc/sys/kernel/random/boot_id; systemctl show -p UserspaceTimestamp"
        )
        stage.reboot(node)
        stage.wait_for(
            lambda: None if _booted_again(stage, node.name, boot) else "it has not rebooted",
            within_s=120,
        )
        stage.wait_running(node)
        stage.expect(node.instance_id == before, "it is another instance")
        for entry in stage.cluster.storage.lustre:
            kind = node.must(f"findmnt -n -o FSTYPE {entry.mount_path}").strip()
            stage.expect(kind == "lustre", f"{entry.mount_path} is {kind or 'not mounted'}")
        stage.settle()
        stage.submit("hostname", options=[f"--nodelist={node.host}"]).wait(
            "COMPLETED", within_s=60
        )

    with stage.promise("healthy"):
        run = node.run_program()
        stage.expect(run.exit_code == 0, f"exit code {run.exit_code}: {run.last_line}")
        applied = [step for step, status in run.statuses.items() if status == "applied"]
        stage.note(f"put right: {', '.join(applied) or 'nothing'}")

    with stage.promise("replaced"):
        stage.replace(node)
        seconds = stage.wait_running(node, but=before)
        stage.note(f"Running after {seconds:.0f} s")
        stage.settle()
        stage.submit("hostname", options=[f"--nodelist={node.host}"]).wait(
            "COMPLETED", within_s=60
        )


def _booted_again(stage: Stage, name: str, boot: str) -> bool:
    try:
        ran = stage.node(name).run(
            "cat /proc/sys/kernel/random/boot_id; systemctl show -p UserspaceTimestamp"
        )
    except Broken:  # between the two
        return False
    return ran.ok and ran.stdout != boot

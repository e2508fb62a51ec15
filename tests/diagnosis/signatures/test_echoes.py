"""Consequences and normal messages are never findings."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("stack-event", "Resource creation cancelled"),
        ("stack-event", "The following resource(s) failed to create: [A, B]. Rollback requested."),
        ("stack-event", "Embedded stack arn:aws:x was not successfully created: see its events"),
        ("scheduler-node", "clusterwright: acceptance: new"),
        (
            "log",
            '{"level":"error","msg":"error received after stop sequence was engaged",'
            '"error":"leader election lost"}',
        ),
        ("log", "[2026-11-23T08:00:00.000] error: chdir(/var/log/slurm): Permission denied"),
        ("log", "efa 0000:a0:1a.0: Failed to process command DEREG_MR (opcode 8) err -22"),
        ("log", "ERROR  ENC:recv  Timeout waiting for RX (waited 120 sec) - retrying"),
        (
            "log",
            "By default, for Open MPI 4.0 and later, infiniband ports on a device are not used by "
            "default.",
        ),
        ("log", "WARNING: There was an error initializing an OpenFabrics device."),
        (
            "log",
            "  Normal   NotTriggerScaleUp  9m (x9 over 1h)  cluster-autoscaler  pod didn't trigger "
            "scale-up: 1 node(s) didn't match node selector",
        ),
        (
            "log",
            "slurmctld: error: If using PrologFlags=Contain for pam_slurm_adopt, either "
            "proctrack/cgroup or proctrack/cray_aries is required.",
        ),
        ("log", "2019-07-19T17:40:34Z [INFO]     Exceeded instance ENI attachment limit: 7"),
        (
            "log",
            '"Retrieving IMDS metadata failed" err="could not get EC2 instance identity metadata: '
            'operation error ec2imds: GetInstanceIdentityDocument, context deadline exceeded"',
        ),
        (
            "log",
            "failed to retrieve it from ec2 metadata; retrieving instance data from kubernetes api",
        ),
        ("log", "infiniband efa_0: Failed to de-register mr(lkey-7) [-22]"),
        ("log", "attempt 1 of 4 failed, next in 2 s: mount.lustre: Connection timed out"),
    ],
)
def test_consequence_is_no_finding(kind: str, text: str) -> None:
    assert signature_of(kind, text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "error: cannot find acct_gather_energy plugin for acct_gather_energy/rapl2",
        "fatal: cannot create acct_gather_energy context for acct_gather_energy/rapl",
        "error: Couldn't load specified plugin name for acct_gather_energy/gpu: Dlopen of plugin "
        "file failed",
    ],
)
def test_plug_in_for_energy_that_cannot_be_loaded_ends_slurmd(text: str) -> None:
    (found,) = findings(*of_log(f"[2026-11-28T10:00:00.001] {text}"))
    assert "a plug-in cannot be loaded" in found.cause


_HEALTHY_NODE = (
    "ntpd[2586]: kernel reports TIME_ERROR: 0x41: Clock Unsynchronized",
    "chronyd[412]: System clock wrong by -273.020560 seconds, adjustment started",
    "systemd[1]: Failed to open libbpf, cgroup BPF features disabled: Operation not supported",
    "INFO dbus-daemon: Unit dbus-org.freedesktop.resolve1.service not found.",
    "W0120 11:42:15.516638  4787 manager.go:596] Failed to retrieve checkpoint for "
    '"kubelet_internal_checkpoint": checkpoint is not found',
    'I0512 04:54:38.856167  2473 manager.go:513] "Failed to read data from checkpoint" '
    'checkpoint="kubelet_internal_checkpoint" err="checkpoint is not found"',
    'E0512 04:54:38.885907  2473 kubelet.go:2359] "Skipping pod synchronization" err="PLEG is not '
    'healthy: pleg has yet to be successful"',
    "W0120 11:43:25.613298  4787 watcher.go:87] Error while processing event "
    '("/sys/fs/cgroup/cpuset/docker/822f": 0x40000100 == IN_CREATE|IN_ISDIR): inotify_add_watch '
    "/sys/fs/cgroup/cpuset/docker/822f: no such file or directory",
    'E0512 05:19:22.158073  2473 cpu_manager.go:410] "RemoveStaleState: removing container" '
    'podUID="586901c3" containerName="credential-operator"',
    "conmon 5bdb <nwarn>: Failed to open cgroups file: /sys/fs/cgroup/a.scope/memory.events",
    "I0120 11:42:11.936459  4787 fs.go:128] Filesystem partitions: map[/dev:{mountpoint:/dev "
    "fsType:tmpfs} /dev/shm:{mountpoint:/dev/shm blockSize:0}] limited full",
    "url_helper.py[DEBUG]: [0/6] open 'http://169.254.169.254/latest' with {'timeout': 5.0}",
    "2026-04-13 16:11:37,120 [DEBUG] Response: 200 ['x-amz-request-id': '51K40ZRRNRE6Q0BS']",
    "NMI watchdog: Shutting down hard lockup detector on all cpus",
    "exists = True  protected = False",
    "throttle = 0",
)


@pytest.mark.parametrize("text", _HEALTHY_NODE)
def test_line_of_a_healthy_node_is_no_finding(text: str) -> None:
    assert findings(*of_log(f"{text}\n" + "the node goes on\n" * 3)) == ()


def test_failure_that_is_called_information_is_one_all_the_same() -> None:
    text = (
        "I1103 12:40:12.000001  9 kubelet.go:1765] skipping pod synchronization - [PLEG is not "
        "healthy: pleg was last seen active 3m5s ago; threshold is 3m0s]"
    )
    (found,) = findings(*of_log(text))
    assert found.signature == "container-runtime-down"

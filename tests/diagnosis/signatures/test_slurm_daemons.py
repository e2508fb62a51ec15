"""Signatures of the family `slurm_daemons`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log, signature_of

CASES = (
    (
        "log",
        "slurmstepd: error: common_file_write_uints: write value '39981' to "
        "'/sys/fs/cgroup/cpuset/slurm/uid_1/job_2/step_batch/cgroup.procs' failed: No space left on "
        "device",
        "cgroup-cpuset",
    ),
    (
        "job",
        "srun: fatal: SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU, and SLURM_MEM_PER_NODE are mutually exclusive.",
        "slurm-options",
    ),
    ("job", 'sbatch: error: Invalid numeric value "0" for --ntasks.', "slurm-options"),
    ("job", "sbatch: unrecognized option '--gpus_per_node=8'", "slurm-options"),
    (
        "log",
        "[2026-11-30T08:00:00] srun: error: --gpus-per-socket option requires --sockets-per-node",
        "slurm-options",
    ),
    (
        "log",
        'The error message was sbatch: sbatch: error: Invalid numeric value "x" for --ntasks.',
        "slurm-options",
    ),
    (
        "log",
        "slurmctld[1]: fatal: failed to initialize accounting_storage plugin",
        "slurm-plugin-start",
    ),
    (
        "log",
        "error: gres/gpu: _node_config_validate: Count changed on node p5-1 (8 != 7)",
        "gres-count",
    ),
    (
        "log",
        "error: Couldn't find the specified plugin name for accounting_storage/slurmdbd looking at all files",
        "slurm-plugin",
    ),
    (
        "log",
        "error: Unable to register: Unable to contact slurm controller (connect failure)",
        "registration",
    ),
    ("log", "fatal: Unable to determine this slurmd's NodeName", "slurmd-name"),
    ("log", "error: cgroup namespace 'freezer' not mounted. aborting", "cgroup"),
    ("log", "error: Incompatible versions of client and server code", "slurm-versions"),
    (
        "log",
        "error: Munge decode failed: Unauthorized credential for client UID=1 GID=1",
        "munge-user",
    ),
    ("log", "error: Munge decode failed: Invalid credential", "munge-key"),
    ("log", "error: Credential signature check: Credential replayed", "job-credential"),
    ("log", "error: Couldn't load specified plugin name for cgroup/v2: x", "cgroup"),
    ("log", "srun: error: cannot create mpi context for mpi/pmix_v3", "slurm-plugin-context"),
    ("log", "fatal: _init_tres: Unable to get TRES from slurmdbd; cannot start", "slurmdbd-down"),
    (
        "log",
        "error: The database must be up when starting the MYSQL plugin",
        "database-unreachable",
    ),
    ("log", "power_save module disabled, invalid SuspendProgram /x", "slurm-configuration"),
    ("scheduler-node", "Duplicate jobid", "duplicate-job"),
    ("scheduler-node", "Node unexpectedly rebooted", "unexpected-reboot"),
    ("daemon", "slurmctld is down", "daemon-down"),
    ("partition", "partition workers is DOWN", "partition-down"),
    ("reservation", "in the reservation clusterwright_drain_workers-2", "reserved-by-person"),
    ("reservation", "in the reservation clusterwright_acceptance", "held-for-acceptance"),
    ("reservation", "in the reservation clusterwright_acceptance2", "in-a-reservation"),
    ("reservation", "in the reservation clusterwright_spares_workers", "reserved-as-spare"),
    ("reservation", "in the reservation maintenance", "in-a-reservation"),
    (
        "log",
        "sbatch: error: s_p_parse_file: unable to status file /etc/slurm/slurm.conf",
        "slurm-configuration-missing",
    ),
    (
        "job",
        "sbatch: error: Batch job submission failed: Invalid job array specification",
        "slurm-error",
    ),
    ("job", "squeue: error: Communication connection failure", "slurm-error"),
    (
        "log",
        "error: namespace_p_join: setns failed for /tmp/.ns: Invalid argument",
        "private-folders",
    ),
    (
        "log",
        "Access denied by pam_slurm_adopt: you have no active jobs on this node",
        "ssh-without-job",
    ),
    ("log", "id: cannot find name for user ID 20007", "user-unknown"),
    ("log", "INFO: task kworker/u4:2:141 blocked for more than 120 seconds.", "hung-task"),
    (
        "log",
        "srun: error: Unable to allocate resources: Unable to contact slurm controller (connect "
        "failure)",
        "controller-unreachable",
    ),
    (
        "log",
        "slurmdbd: error: Table 'slurm_acct_db.linux_job_table' doesn't exist",
        "cluster-not-registered",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)


@pytest.mark.parametrize(
    "text",
    [
        'print("srun: error: --foo option requires --bar")',
        "echo 'sbatch: error: Invalid --mem specification'",
    ],
)
def test_an_option_is_refused_where_a_line_begins_with_the_command(text: str) -> None:
    assert "slurm-options" not in [one.signature for one in findings(*of_log(text))]


@pytest.mark.parametrize(
    "text",
    [
        "scontrol: error: failed to connect to any sack sockets\n"
        "scontrol: error: _fetch_child: failed to fetch remote configs: Protocol authentication error\n"
        "scontrol: fatal: Could not establish a configuration source",
        "sinfo: error: unable to connect to /run/slurm/sack.socket: No such file or directory",
    ],
)
def test_missing_socket_of_authentication_explains_what_follows(text: str) -> None:
    (found,) = findings(*of_log(text))
    assert "sack.socket" in found.cause
    assert "auth/slurm" in found.cause


@pytest.mark.parametrize(
    ("writer", "expected"),
    [("scontrol", "client-configless"), ("sinfo", "client-configless"), ("slurmd", "configless")],
)
def test_command_without_a_configuration_is_no_slurmd(writer: str, expected: str) -> None:
    (found,) = findings(*of_log(f"{writer}: error: fetch_config: DNS SRV lookup failed"))
    assert found.signature == expected

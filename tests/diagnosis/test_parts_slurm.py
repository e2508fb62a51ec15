"""Messages of Slurm's daemons by the part that writes them."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_slurm import PARTS, cause, error, is_fatal, is_line, wrong
from tests.diagnosis.made import findings, of_log

CASES = (
    ("Security violation, some RPC from uid=1000", "no administrator"),
    ("Security violation, acct_gather_update RPC from uid 994", "has another UID on this node"),
    ("Do you have SlurmUser configured as uid 994?", "has another UID on this node"),
    ("decode_jwt: token expired at 1764000000", "expired"),
    ("unpack_it: protocol_version 9984 not supported", "another version"),
    ('slurm_set_addr: Unable to resolve "workers-3"', "cannot be resolved"),
    ("The clock of the file system and this computer appear to not be synchronized", "clock"),
    ("association 5 does not have access to qos normal", "may not use a QOS"),
    ("If munged is up, restart with more threads", "MUNGE"),
    ("verify_internal: the signature is wrong", "own keys"),
    ("_build_jwks_keys: failed to load the field", "own keys"),
    ("cred_p_create: nothing", "credential of a job"),
    ("tls/s2n: the configuration cannot be made", "TLS"),
    ("Failed to get the device handle of GPU 3", "GPUs are not found"),
    ("gres/gpu: the count of workers-1 changed", "gres.conf"),
    ("mpi/pmix: the tasks do not answer", "MPI tasks"),
    ("namespace_p_join: open failed", "private folders"),
    ("Unable to create cgroup of the step", "cgroups"),
    ("oci.conf has no RunTimeRun", "bundle"),
    ("Prolog of job 3 did not end", "the prolog or the epilog"),
    ("health_check didn't run: status:1 reason:a", "health check"),
    ("MailProg returned error, it's output was 'a'", "mails"),
    ("### /run/slurm DIRECTORY IS WORLD WRITABLE ###", "other users"),
    ("spank_user failed.", "SPANK"),
    ("job_submit/lua: the script has an error", "job_submit"),
    ("_set_xauthority: failed to run xauth", "X11"),
    ("ipmi_ctx_create: driver error", "profiling"),
    ("jobcomp/kafka: broker is gone", "finished jobs"),
    ("Invalid power up action x, cannot resume", "on demand"),
    ("Reboot request ended with 3", "the reboot"),
    ("the tables of this database version are old", "convert"),
    ("Couldn't add txn", "its database"),
    ("DBD_STEP_START failure", "slurmctld and slurmdbd"),
    ("make_node_idle: count underflow of workers-1", "its own bookkeeping"),
    ("assoc 3 has no parent", "slurmdbd, or the cluster"),
    ("Incomplete job data checkpoint file", "saved state"),
    ("_fetch_parent: nothing came", "configless"),
    ("Can't create a switch without a name", "topology"),
    ("license x is not there", "licences"),
    ("Reservation a has no nodes", "reservation"),
    ("sibling cluster b is away", "federation"),
    ("switch/hpe_slingshot: no VNI is left", "interconnect"),
    ("cpu_freq_init: no governor", "processors"),
    ("Can't get RLIMIT_NOFILE", "limit of the system"),
    ("pam_start: it is not here", "its user, groups or session"),
    ("Could not open stdout of task 3", "files or streams"),
    ("Cannot read /proc/7/stat", "tracked"),
    ("Unable to set this in env", "environment"),
    ("Did not reach stepd of 3", "slurmstepd"),
    ("Unknown node in the list", "register"),
    ("Can't find plugin for select/odd", "not installed"),
    ("slurm_receive_msg: it is too short", "do not reach each other"),
    ("No partition of JobId=3", "not as slurmctld expects"),
    ("Bad value of MaxTime in slurm.conf", "not valid or cannot be read"),
)


@pytest.mark.parametrize(("message", "words"), CASES)
def test_message_is_of_its_part(message: str, words: str) -> None:
    assert words in (wrong(message) or "")


def test_every_part_has_a_message_here() -> None:
    assert {wrong(message) for message, _ in CASES} == {one.wrong for one in PARTS}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        # The function that writes a message says more than a word in it.
        ("_x11_con_on_connection: a socket was closed", "X11"),
        # The text of an errno is no subject: `file` is no gres.conf.
        ("mkdir(/a): No such file or directory", "does not exist"),
    ],
)
def test_place_and_errno(message: str, words: str) -> None:
    assert words in (cause(message) or "")


def test_words_of_training_programs_are_none_of_slurm() -> None:
    for message in ("the torus dims exceed dimensions", "unable to resolve socket peer process"):
        said = cause(message) or ""
        assert "tensor" not in said
        assert "DNS" not in said


def test_message_of_pyxis_is_of_the_container() -> None:
    assert (cause("pyxis: couldn't join the mount namespace") or "").startswith("container: ")


@pytest.mark.parametrize(
    ("line", "is_error"),
    [
        ("[2026-11-29T10:00:00.123] error: odd", True),
        ("[2026-11-29T10:00:00.123] [19.0] error: odd", True),
        ("Nov 29 10:00:00 head slurmctld[12]: slurmctld: error: odd", True),
        ("slurmd: fatal: odd", True),
        ("train.py: error: odd", False),
        ("[2026-11-29T10:00:00.123] debug: error: odd", False),
    ],
)
def test_lines_of_daemons(line: str, is_error: bool) -> None:
    assert is_line(line) == is_error
    assert is_error or error(line) is None


def test_unknown_message_of_slurmdbd_is_of_the_accounting() -> None:
    assert (error("slurmdbd: error: frob") or "").startswith("accounting: ")
    assert error("slurmctld: error: frob") is None


def test_last_error_of_a_daemon_is_the_cause() -> None:
    (found,) = findings(
        *of_log("[2026-11-29T10:00:00.123] error: _create_ns: mkdir /a failed: Permission denied")
    )
    assert found.cause.startswith("Slurm: the private folders of a job")
    assert "it has no permission" in found.cause


def test_limit_in_a_daemons_words_is_no_quota_of_aws() -> None:
    line = "[2026-11-29T10:00:00.123] error: create_buf: Buffer size limit exceeded (3 > 2)"
    assert all("quota" not in found.cause for found in findings(*of_log(line)))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "_slurm_rpc_allocate_resources: Requested node configuration is not available",
            "asks for what the cluster or its allocation does not have",
        ),
        ("_slurm_rpc_kill_job: Access/permission denied", "may not do this"),
        ("_slurm_rpc_submit_batch_job: Unspecified error", "refused it without a reason"),
    ],
)
def test_answer_to_a_request_is_the_cause_not_its_name(message: str, words: str) -> None:
    said = cause(message) or ""
    assert words in said
    assert "do not reach" not in said
    (found,) = findings(*of_log(f"[2026-11-29T10:00:00.123] error: {message}"))
    assert words in found.cause


@pytest.mark.parametrize(
    "message",
    [
        "_slurm_rpc_node_registration node=gpu-1: Invalid argument",
        "_slurm_rpc_reconfigure_controller: Unspecified error",
        "_slurm_rpc_reboot_nodes: frob",
    ],
)
def test_name_of_a_request_is_no_cause(message: str) -> None:
    assert cause(message) is None


@pytest.mark.parametrize(
    "message",
    [
        "_slurm_rpc_complete_job_allocation: JobId=5 error Job/step already completing or "
        "completed",
        "_slurm_rpc_step_complete: StepId=5.0 Invalid job id specified",
        "_slurm_rpc_job_step_create for JobId=5: Requested nodes are busy",
        "poll(): Interrupted system call",
        "recv: Resource temporarily unavailable",
    ],
)
def test_request_about_what_has_ended_or_is_repeated_is_no_failure(message: str) -> None:
    assert findings(*of_log(f"[2026-11-29T10:00:00.123] error: {message}")) == ()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        # Values, quotations, names of nodes and the text of a site's script.
        (
            "This association 5(account='gres', user='u', partition='(null)') does not have "
            "access to qos normal",
            "may not use a QOS",
        ),
        ("job_submit.lua: user said: you need --gres, rejected", "job_submit"),
        ("job_submit/lua: only admins may use --gres", "job_submit"),
        ('Invalid feature "pmix" of JobId=3', "not as slurmctld expects"),
        # Names of messages.
        ("Unable to send MESSAGE_EPILOG_COMPLETE: Connection refused", "do not reach each other"),
        ("select/cons_tres: memory of gpu-1 is under-allocated", "its own bookkeeping"),
        ("gres/gpu: count underflow of gpu-1", "its own bookkeeping"),
    ],
)
def test_words_that_a_message_only_repeats_do_not_decide(message: str, words: str) -> None:
    assert words in (cause(message) or "")


@pytest.mark.parametrize(
    "message",
    [
        "Job 5 cannot run in partition gpu: user mpi",
        "Setting node gpu-1 state to DOWN with reason:user says the GPU failed",
        "Aborting JobId=5 due to change in socket/core configuration of node",
        "Node ping apparently hung, configured SlurmdTimeout should be increased",
        "JobId=5 completed in partition gpu",
        "Restoring job 5 with name nvml-bench",
        "ping: primary controller responding",
    ],
)
def test_message_that_says_no_cause_has_none(message: str) -> None:
    assert cause(message) is None


def test_user_who_is_not_known_is_not_refused() -> None:
    assert "no administrator" not in (cause("User 1234 not found") or "")
    assert "no administrator" in (cause("uid 1234 not authorized to do this") or "")


def test_folder_of_a_user_is_no_part_of_the_system() -> None:
    line = "slurmstepd: error: couldn't chdir to `/home/alice/cgroup': No such file or directory"
    (found,) = findings(*of_log(line, job="7"))
    assert found.signature == "working-directory"


def test_what_the_system_answered_replaces_what_may_be_so() -> None:
    said = cause("slurm_msg_sendto: port=3: Broken pipe") or ""
    assert "the other end closed the connection" in said
    assert "does not run" not in said


@pytest.mark.parametrize(
    ("message", "signature"),
    [
        ("Nodes workers-[1-3] not responding", "not-responding"),
        ("Node gpu-1 not responding", "not-responding"),
        ('slurm_set_addr: Unable to resolve "workers-3"', "node-name"),
        ("slurm_msg_sendto: port=3: Broken pipe", "statement"),
    ],
)
def test_signature_of_a_daemons_line(message: str, signature: str) -> None:
    (found,) = findings(*of_log(f"[2026-11-29T10:00:00.123] error: {message}"))
    assert found.signature == signature


def test_a_path_with_the_name_of_a_part_is_not_of_that_part() -> None:
    assert "proctrack" not in str(wrong("open /var/log/slurm_jobacct.log: Permission denied"))
    assert "proctrack" in str(wrong("jobacct_common_free: cannot stop the polling"))


def test_fatal_error_counts_whatever_may_be_ignored() -> None:
    text = (
        "[2026-11-30T10:00:00.000] fatal: Can not recover last_tres state, incompatible version, "
        "start with '-i' to ignore this. Warning: using -i will lose the data that can't be "
        "recovered."
    )
    (found,) = findings(*of_log(text))
    assert found.signature == "slurm-fatal"
    assert is_fatal(text)
    assert not is_fatal("[2026-11-30T10:00:00.000] error: a")


def test_level_of_an_error_is_not_read_from_what_it_is_about() -> None:
    text = "[2026-11-30T10:00:00.000] error: set debug level request from non-super user uid=7"
    assert "no administrator" in findings(*of_log(text))[0].cause
    text = "[2026-11-30T10:00:00.000] error: gres/gpu: optional plug-in is missing, ignored"
    assert [f.signature for f in findings(*of_log(text))] in ([], ["unknown"])

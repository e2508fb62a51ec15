"""Messages of Slurm's daemons by the part that writes them."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_slurm import PARTS, cause, error, is_line, wrong
from tests.diagnosis.made import findings, of_log

CASES = (
    ("Security violation, some RPC from uid=1000", "no administrator"),
    ("decode_jwt: token expired at 1764000000", "expired"),
    ("unpack_it: protocol_version 9984 not supported", "another version"),
    ('slurm_set_addr: Unable to resolve "workers-3"', "cannot be resolved"),
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

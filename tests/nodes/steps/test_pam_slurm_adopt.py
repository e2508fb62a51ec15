"""The step that limits ssh to users with a running job, tested with Linux-PAM."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nodes.world import PAM_UBUNTU, World

SSHD = "etc/pam.d/sshd"
EXEMPT = "etc/security/clusterwright-ssh-anywhere"
MODULES = Path("/usr/lib/x86_64-linux-gnu/security")
PAM_AMAZON = {
    "sshd": """#%PAM-1.0
auth       substack     password-auth
account    required     pam_sepermit.so
account    required     pam_nologin.so
account    include      password-auth
session    include      password-auth
""",
    "password-auth": """account     required      pam_unix.so
account     sufficient    pam_localuser.so
account     sufficient    pam_usertype.so issystem
account     required      pam_permit.so
""",
}
"""As on Amazon Linux 2023, shortened: the included file ends the account stack."""


def asked(node: World, **pam: str) -> World:
    node.edit("cluster.json", lambda c: c["slurm"].update(restrict_ssh_to_jobs=True))
    for name, text in pam.items():
        (node.root / "etc/pam.d" / name).write_text(text)
    return node


def account_lines(node: World) -> list[str]:
    return [
        line
        for line in (node.root / SSHD).read_text().splitlines()
        if line.split() and line.split()[0] in ("account", "-account", "@include")
    ]


class Conversation(ctypes.Structure):
    _fields_ = (("conv", ctypes.c_void_p), ("data", ctypes.c_void_p))


def may_sign_in(node: World, tmp_path: Path, user: str, adopt: str) -> bool:
    """Linux-PAM's result for `user` with the node's files, with `adopt` for pam_slurm_adopt."""
    folder = tmp_path / f"pam-{adopt}"
    folder.mkdir(exist_ok=True)
    files = {path.name: path.read_text() for path in (node.root / "etc/pam.d").iterdir()}
    for name, text in files.items():
        # PAM reads these in /etc/pam.d even here; both kinds are replaced by the lines themselves.
        inlined = re.sub(
            r"(?m)^(?:@include|account +include) +(\S+)\n",
            lambda match: files[match.group(1)],
            text,
        )
        # Modules that query real users and services are not tested here.
        real = r"pam_(unix|nologin|sepermit|localuser|usertype)\.so"
        played = re.sub(real, "pam_permit.so", inlined).replace("pam_slurm_adopt.so", adopt)
        played = played.replace(f"file=/{EXEMPT}", f"file={node.root / EXEMPT}")
        (folder / name).write_text(played)
    pam = ctypes.CDLL("libpam.so.0")
    handle, conversation = ctypes.c_void_p(), Conversation()
    started = pam.pam_start_confdir(
        b"sshd",
        user.encode(),
        ctypes.byref(conversation),
        str(folder).encode(),
        ctypes.byref(handle),
    )
    assert started == 0
    answer = pam.pam_acct_mgmt(handle, 0)
    pam.pam_end(handle, answer)
    return bool(answer == 0)


@pytest.mark.parametrize("files", [PAM_UBUNTU, PAM_AMAZON], ids=["ubuntu", "amazon-linux"])
def test_pam_refuses_users_without_a_job_or_exemption(
    world: Callable[..., World], tmp_path: Path, files: dict[str, str]
) -> None:
    assert (MODULES / "pam_listfile.so").exists(), "the test needs Linux-PAM"
    node = asked(world("workers-1"), **files)
    node.edit(
        "cluster.json",
        lambda c: c["users"].append(
            dict(c["users"][0], name="grace", uid=5002, gid=5002, sudo=True)
        ),
    )
    run = node.run()
    assert run.statuses()["pam_slurm_adopt"] == "applied", run.text
    for user in ("root", "ubuntu", "grace"):
        assert may_sign_in(node, tmp_path, user, "pam_deny.so"), user
    assert not may_sign_in(node, tmp_path, "ada", "pam_deny.so")
    assert may_sign_in(node, tmp_path, "ada", "pam_permit.so"), "a job of hers runs here"
    assert may_sign_in(node, tmp_path, "ada", "pam_gone.so"), "a missing module locks nobody out"
    assert node.run().statuses()["pam_slurm_adopt"] == "unchanged"


def test_pam_without_the_module_refuses_as_before(
    world: Callable[..., World], tmp_path: Path
) -> None:
    closed = PAM_UBUNTU["common-account"].replace("pam_unix.so", "pam_deny.so")
    node = asked(world("workers-1"), **{"common-account": closed})
    node.run()
    assert not may_sign_in(node, tmp_path, "root", "pam_gone.so")
    assert not may_sign_in(node, tmp_path, "ubuntu", "pam_permit.so")


def test_line_is_last_in_a_reachable_account_stack(world: Callable[..., World]) -> None:
    node = asked(world("workers-1", "scripted"))
    node.run()
    lines = account_lines(node)
    at = lines.index("@include common-account")
    assert lines[at + 1].startswith("account  [success=1 default=ignore]  /usr/lib/x86_64")
    assert lines[at + 2].startswith("-account [")
    # Slurm's documentation: with "allow" a failure would let every user in.
    assert lines[at + 2].endswith(" action_adopt_failure=deny action_generic_failure=deny")
    assert lines[at + 3] == "@include common-session"


def test_line_precedes_a_file_that_ends_the_stack(world: Callable[..., World]) -> None:
    node = asked(world("workers-1"), **PAM_AMAZON)
    node.run()
    assert account_lines(node)[-1] == "account    include      password-auth"
    assert "pam_slurm_adopt" in account_lines(node)[-2]


def test_line_is_removed_when_disabled(world: Callable[..., World]) -> None:
    node = world("workers-1")
    assert node.run().statuses()["pam_slurm_adopt"] == "skipped"
    assert (node.root / SSHD).read_text() == PAM_UBUNTU["sshd"]
    asked(node).run()
    assert "pam_slurm_adopt" in (node.root / SSHD).read_text()
    node.edit("cluster.json", lambda c: c["slurm"].update(restrict_ssh_to_jobs=False))
    assert node.run().statuses()["pam_slurm_adopt"] == "applied"
    assert (node.root / SSHD).read_text() == PAM_UBUNTU["sshd"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"prolog_flags": "(null)"}, "no PrologFlags=Contain, without which no user could log in"),
        ({"use_pam": "no"}, "sshd does not use PAM"),
        ({"root_is_turned_away": True}, "PAM would refuse root"),
    ],
)
def test_exempt_users_can_log_in(
    world: Callable[..., World], changes: dict[str, object], said: str
) -> None:
    node = asked(world("workers-1", **changes))
    for _ in range(2):
        run = node.run()
        assert run.code == 1
        assert said in run.last
        assert (node.root / SSHD).read_text() == PAM_UBUNTU["sshd"]


def test_second_use_without_exemptions_is_refused(world: Callable[..., World]) -> None:
    """As written by libpam-slurm-adopt's profile for pam-auth-update, without exemptions."""
    text = PAM_UBUNTU["common-account"] + "account required pam_slurm_adopt.so\n"
    node = asked(world("workers-1"), **{"common-account": text})
    run = node.run()
    assert run.code == 1
    assert "/etc/pam.d/common-account also uses pam_slurm_adopt.so" in run.last


def test_an_image_without_the_module_is_refused(world: Callable[..., World]) -> None:
    node = asked(world("workers-1"))
    (node.root / "usr/lib/x86_64-linux-gnu/security/pam_slurm_adopt.so").unlink()
    run = node.run()
    assert run.code == 1
    assert "the image has no pam_slurm_adopt.so" in run.last
    assert (node.root / SSHD).read_text() == PAM_UBUNTU["sshd"]


def test_step_is_skipped_on_nodes_without_jobs(world: Callable[..., World]) -> None:
    for name in ("controller-1", "login-1"):
        assert asked(world(name)).run().statuses()["pam_slurm_adopt"] == "skipped"

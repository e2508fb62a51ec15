"""Restrict ssh to nodes on which a job of the user runs.

Off by default. Only `/etc/pam.d/sshd` is changed, so Session Manager, consoles and sudo work as
before. Exempt are root, users with `sudo`, and the image's own user, who can repair a node if
Slurm fails. They are in a file that pam_listfile reads before pam_slurm_adopt.

From SchedMD's guide (slurm.schedmd.com/pam_slurm_adopt.html): `PrologFlags=Contain` must be active
before, or all users are refused; it recommends "deny" for both failures. The leading `-`, which it
recommends so that no user is locked out if the module is missing, only keeps the log quiet (tried
with Linux-PAM 1.5.2): `module_unknown=ignore` is what lets PAM go on. The guide puts the module
last in the account stack. Where an included file ends the stack early (Amazon Linux: `sufficient
pam_localuser.so`) it would never be reached there, so it stands in front of that file; what is
denied there stays denied.
"""

from __future__ import annotations

from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("slurm_daemons", "sudo")
DEADLINE_SECONDS = 120
RETRIES = 3

PAM_FOLDER = "/etc/pam.d"
SSHD = f"{PAM_FOLDER}/sshd"
EXEMPT = "/etc/security/clusterwright-ssh-anywhere"
_MODULE, _LIST = "pam_slurm_adopt.so", "pam_listfile.so"
_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu/security",
    "/usr/lib/aarch64-linux-gnu/security",
    "/lib/x86_64-linux-gnu/security",
    "/lib/aarch64-linux-gnu/security",
    "/usr/lib64/security",
    "/lib64/security",
    "/usr/lib/security",
    "/lib/security",
)
_IMAGE_USERS = ("ubuntu", "ec2-user")
_BEGIN, _END = "# clusterwright_node: begin", "# clusterwright_node: end"
_CONTROL = "[success=ok new_authtok_reqd=ok ignore=ignore module_unknown=ignore default=bad]"
"""`required` (pam.conf(5)), except for a missing module."""
_CHANGING = "pam_slurm_adopt: change " + SSHD
_FLAGS = {
    "parallelcluster": "PrologFlags: Contain in CustomSlurmSettings",
    "pcs": "PrologFlags: Contain in the cluster's custom Slurm settings",
}
"""What to change instead, by configuration."""


def applies(node: Node) -> Verdict:
    if node.group.role != "compute":
        return skip("jobs run only on compute nodes")
    asked = node.inputs.cluster.slurm.restrict_ssh_to_jobs
    if not asked and _BEGIN not in (node.machine.read_text(SSHD) or ""):
        return skip("the spec does not restrict ssh to jobs")
    return APPLIES


def check(node: Node) -> Verdict:
    if node.journal.begun(_CHANGING) is not None:
        return missing(f"{SSHD} was changed and not tested")
    asked = node.inputs.cluster.slurm.restrict_ssh_to_jobs
    if asked and node.machine.read_text(EXEMPT) != _exempt(node):
        return missing(f"{EXEMPT} is outdated")
    if _sshd(node) != _wanted(node):
        return missing(f"{SSHD} is outdated")
    return SATISFIED


def apply(node: Node) -> None:
    asked = node.inputs.cluster.slurm.restrict_ssh_to_jobs
    if asked:
        _refuse_to_lock_out(node)
        # Before the line that reads it.
        if node.machine.read_text(EXEMPT) != _exempt(node):
            node.machine.write_text(EXEMPT, _exempt(node))
    before, wanted = _sshd(node), _wanted(node)
    node.journal.begin(_CHANGING, SSHD)
    if before != wanted:
        node.machine.write_text(SSHD, wanted)
    if asked:
        _try_it(node)
    node.journal.end(_CHANGING)


def _refuse_to_lock_out(node: Node) -> None:
    result = node.machine.query("sshd", "-T")
    if result.ok and "usepam yes" not in result.stdout.lower().splitlines():
        raise StepError(
            "sshd does not use PAM (UsePAM no)", "set UsePAM yes in the image's sshd_config"
        )
    result = node.machine.query("scontrol", "show", "config")
    if not result.ok and node.is_pcs:
        node.notice(
            "slurmd of AWS PCS has not started, so PrologFlags of slurm.conf is not checked"
        )
        return
    if not result.ok:
        raise StepError(
            f"slurmctld does not report whether it contains jobs: {result.said}",
            "see why slurmctld does not respond",
            transient=True,
        )
    flags = [line for line in result.stdout.splitlines() if line.startswith("PrologFlags")]
    if not any("contain" in line.lower() for line in flags):
        raise StepError(
            "slurm.conf has no PrologFlags=Contain, without which no user could log in",
            "set slurm.restrict_ssh_to_jobs to false, or "
            + _FLAGS.get(node.configuration, "configuration to scripted"),
        )
    for line in _without_block(_sshd(node)).splitlines():
        included = _included(line)
        inside = [line] if included is None else _account_lines(node, included)
        if any(_MODULE in text for text in inside if not text.startswith("#")):
            raise StepError(
                f"{PAM_FOLDER}/{included or 'sshd'} also uses {_MODULE}, without exemptions",
                "remove it there in the image (Ubuntu: pam-auth-update --disable slurm-adopt)",
            )


def _try_it(node: Node) -> None:
    """Verify that root can sign in, if the image has pamtester."""
    if not node.machine.has_command("pamtester"):
        return
    result = node.machine.query("pamtester", "sshd", "root", "acct_mgmt")
    if not result.ok:
        node.machine.write_text(SSHD, _without_block(_sshd(node)))
        node.journal.end(_CHANGING)
        raise StepError(
            f"PAM would refuse root, so {SSHD} was restored: {result.said}",
            "set slurm.restrict_ssh_to_jobs to false and report it",
        )


def _sshd(node: Node) -> str:
    text = node.machine.read_text(SSHD)
    if text is None:
        raise StepError(f"the image has no {SSHD}", "set slurm.restrict_ssh_to_jobs to false")
    return text


def _exempt(node: Node) -> str:
    names = {user.name for user in node.inputs.cluster.users if user.sudo}
    return "".join(f"{name}\n" for name in sorted(names | {"root", *_IMAGE_USERS}))


def _wanted(node: Node) -> str:
    plain = _without_block(_sshd(node))
    if not node.inputs.cluster.slurm.restrict_ssh_to_jobs:
        return plain
    lines = plain.splitlines()
    at = _place(node, lines)
    return "\n".join([*lines[:at], *_block(node), *lines[at:]]) + "\n"


def _without_block(text: str) -> str:
    kept, inside = [], False
    for line in text.splitlines():
        if line == _BEGIN:
            inside = True
        if not inside:
            kept.append(line)
        if line == _END:
            inside = False
    return "".join(line + "\n" for line in kept)


def _block(node: Node) -> list[str]:
    module, allowed = _found(node, _MODULE), _found(node, _LIST)
    return [
        _BEGIN,
        f"account  [success=1 default=ignore]  {allowed} item=user sense=allow onerr=fail"
        f" file={EXEMPT} quiet",
        f"-account {_CONTROL}  {module} action_adopt_failure=deny action_generic_failure=deny",
        _END,
    ]


def _found(node: Node, name: str) -> str:
    for folder in _FOLDERS:
        if node.machine.exists(f"{folder}/{name}"):
            return f"{folder}/{name}"
    raise StepError(
        f"the image has no {name}",
        "use an image that has it, or set slurm.restrict_ssh_to_jobs to false",
    )


def _place(node: Node, lines: list[str]) -> int:
    """The number of the line before which the block is inserted."""
    last = None
    for index, line in enumerate(lines):
        included = _included(line)
        words = line.split()
        if included is None and (not words or words[0].lstrip("-") != "account"):
            continue
        if included is not None:
            inside = _account_lines(node, included)
            if any(_ends_the_stack(text) for text in inside):
                return index
            if not inside:
                continue
        elif _ends_the_stack(line):
            return index
        last = index
    if last is None:
        raise StepError(f"{SSHD} has no account lines", "find out who changed it on the image")
    return last + 1


def _included(line: str) -> str | None:
    """The file that the line includes for the account stack."""
    words = line.split()
    if len(words) == 2 and words[0] == "@include":
        return words[1]
    if len(words) == 3 and words[0].lstrip("-") == "account" and words[1] == "include":
        return words[2]
    # A substack ends itself, not what includes it (pam.conf(5)).
    return None


def _account_lines(node: Node, name: str, seen: tuple[str, ...] = ()) -> list[str]:
    """The account lines of a file and of those that it includes."""
    text = node.machine.read_text(f"{PAM_FOLDER}/{name}") or ""
    found = []
    for line in text.splitlines():
        included = _included(line)
        words = line.split()
        if included is not None and included not in seen:
            found += _account_lines(node, included, (*seen, name))
        elif words and words[0].lstrip("-") == "account":
            found.append(line)
    return found


def _ends_the_stack(line: str) -> bool:
    """Whether a success of this module skips the modules after it."""
    control = " ".join(line.split()[1:])
    if control.startswith("["):
        return "success=done" in control.partition("]")[0]
    return control.startswith("sufficient")

"""Why a unit of systemd failed: its result, the exit status that systemd itself gives, the step.

Sources: systemd.exec(5), "Process Exit Codes"; systemd.service(5), Result= in `systemctl show`;
mount(8), exit status (read 2026-11).
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import slurm_texts
from clusterwright.diagnosis.parts import part, reason
from clusterwright.diagnosis.signature import Values
from clusterwright.diagnosis.wording import meaning_of

RESULTS: Final = {
    "timeout": "did not start or stop in the time that its unit allows",
    "watchdog": "hung: it did not tell systemd in time that it works",
    "oom-kill": "was killed by the kernel, because memory was used up",
    "core-dump": "crashed",
    "signal": "was ended by a signal",
    "resources": "does not run: systemd could not give it what its unit asks for (a file, a "
    "cgroup, memory)",
    "protocol": "does not run: it did not tell systemd that it is ready, as its type of unit asks",
    "dependency": "does not run: a unit that it needs failed",
}
"""What a unit did, by its result. One that ended may have been started again since."""

TIMED_OUT: Final = {
    "start": "does not run: it did not start in the time that its unit allows",
    "stop": "did not stop in time, so that systemd killed it",
}
"""What a unit did not do in time, by the message before the result `timeout`."""

STEPS: Final = {
    "EXEC": "its program does not exist or cannot be executed",
    "USER": "its user does not exist on the node",
    "GROUP": "its group does not exist on the node",
    "CHDIR": "its working directory does not exist",
    "CHROOT": "its root directory cannot be used",
    "NAMESPACE": "a path that its unit lists does not exist or cannot be mounted",
    "LIMITS": "its resource limits (ulimit) cannot be set",
    "CGROUP": "its cgroup cannot be made",
    "CAPABILITIES": "its capabilities cannot be set",
    "PERMISSIONS": "a file of it has wrong permissions",
    "STATE_DIRECTORY": "its state directory cannot be made",
    "RUNTIME_DIRECTORY": "its runtime directory cannot be made",
    "LOGS_DIRECTORY": "its log directory cannot be made",
    "CONFIGURATION_DIRECTORY": "its configuration directory cannot be made",
    "CREDENTIALS": "its credentials cannot be read",
    "STDIN": "its standard input or output cannot be opened",
    "STDOUT": "its standard input or output cannot be opened",
    "SECCOMP": "its system call filter cannot be set",
    "SELINUX_CONTEXT": "its SELinux context cannot be set",
}
"""Steps before a program runs, by the names that stand after the exit status."""

_RUNS_NOT: Final = "does not run: "
PARTS: Final = (
    *(part(said, depth=0) for said in TIMED_OUT.values()),
    part(RESULTS["timeout"], depth=1),
    *(part(said, depth=None) for name, said in RESULTS.items() if name != "timeout"),
    *(part(_RUNS_NOT + said, depth=None) for said in dict.fromkeys(STEPS.values())),
)
"""Of one log the result `timeout` follows from what timed out; other failures are each their own,
such as one of a start after a reboot for which another unit did not stop in time.
"""

_HANGS: Final = (
    "slurmctld hangs there, as releases before 24.11.6 can for ever, and those before 25.05.8 and "
    "25.11.6 because of slow clients (slurmctld -V)"
)
"""SchedMD/slurm, CHANGELOG (read 2026-11). The daemon itself writes nothing about it without
DebugFlags=Conmgr.
"""

_REFUSALS: Final = (
    (
        r"Access/permission denied|Invalid user id",
        "only root, SlurmUser and administrators of the accounting (AdminLevel) may do this",
    ),
    (
        r"Unexpected message",
        "it gave an answer that the command does not know: compare their releases (scontrol "
        "--version, slurmctld -V)",
    ),
    (r"Unable to contact", "it does not run, or the host does not reach it"),
)
"""What slurmctld answers to requests of administrators (SchedMD/slurm, validate_super_user, which
answers ESLURM_USER_ID_MISSING; slurm_errno.c; read 2026-11).
"""

_OTHERS: Final = re.compile(r"(?:apt-daily|motd-news|run-user-|session|snap|user@)")
"""Units of sessions, updates and packages, which end in such ways on healthy nodes."""


def cause(values: Values) -> str | None:
    """Why a unit failed; None for results that say only that it did, and for units of sessions,
    updates and packages.
    """
    step, state = (values.get("step") or "").upper(), (values.get("state") or "").lower()
    said = f"{_RUNS_NOT}{STEPS[step]}" if step in STEPS else TIMED_OUT.get(state[:5].rstrip("-"))
    said = said or RESULTS.get((values.get("result") or "").lower())
    if said is None or _OTHERS.match(values["unit"]):
        return None
    path = f" ({values['program']})" if values.get("program") else ""
    answer = reason(values.get("rest") or "") if step == "EXEC" else None
    if values["unit"] == "slurmctld" and said == TIMED_OUT["stop"]:
        answer = _HANGS
    return f"the service {values['unit']} {said}{path}{': ' + answer if answer else ''}"


def reconfigure(values: Values) -> str | None:
    """Why slurmctld does not read its files again, or does not end, as it was asked."""
    asked = {"reconfigure": "read its configuration again", "shutdown": "end"}[values["request"]]
    if not re.search(r"timed out|connection lost", values["reason"]):
        said = meaning_of(_REFUSALS, values["reason"]) or slurm_texts.meaning(values["reason"])
        return f"Slurm: slurmctld was asked to {asked}: {said}" if said else None
    return (
        f"Slurm: slurmctld was asked to {asked} and gave no answer in time: it is busy or "
        f"{_HANGS.removeprefix('slurmctld ')}"
    )


def mount(values: Values) -> str | None:
    """That a file system is not mounted; None for those of sessions and packages."""
    if _OTHERS.match(values["unit"]):
        return None
    return (
        f"the file system of the unit {values['unit']} is not mounted on the node (mount's exit "
        f"code {values['code']}); the messages of mount before this one say why"
    )

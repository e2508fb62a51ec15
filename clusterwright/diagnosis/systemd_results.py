"""Why a unit of systemd failed: its result, the exit status that systemd itself gives, the step.

Sources: systemd.exec(5), "Process Exit Codes"; systemd.service(5), Result= in `systemctl show`;
mount(8), exit status (read 2026-11).
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.parts import reason
from clusterwright.diagnosis.signature import Values

RESULTS: Final = {
    "timeout": "it did not start or stop in the time that its unit allows",
    "watchdog": "it hung: it did not tell systemd in time that it works",
    "oom-kill": "the kernel killed it, because memory was used up",
    "core-dump": "it crashed",
    "signal": "it was ended by a signal",
    "resources": "systemd could not give it what its unit asks for (a file, a cgroup, memory)",
    "protocol": "it did not tell systemd that it is ready, as its type of unit asks",
    "dependency": "a unit that it needs failed",
}
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


def cause(values: Values) -> str | None:
    """Why a unit failed; None for results that say only that it did."""
    step = (values.get("step") or "").upper()
    said = STEPS.get(step) or RESULTS.get((values.get("result") or "").lower())
    if said is None:
        return None
    path = f" ({values['program']})" if values.get("program") else ""
    answer = reason(values.get("rest") or "") if step == "EXEC" else None
    return (
        f"the service {values['unit']} does not run: {said}{path}{': ' + answer if answer else ''}"
    )

#!/usr/bin/python3
"""Ends a slurmctld that hangs, and starts it again.

Slurm 24.11.5, which Debian 13 has, can hang forever when it reads its files again or ends, which
24.11.6 mends (SchedMD/slurm, CHANGELOG/slurm-24.11.md: "Fix a race condition that can cause
slurmctld to hang forever when trying to shutdown or reconfigure"). The drop-in of the unit limits
the time of an end.
"""

import subprocess
import time

EVERY_SECONDS = 2.0
HANGS_SECONDS = 30.0
"""Longer than slurmctld is busy with its files on a loaded host."""
ANSWER_SECONDS = 20.0
UNIT = "slurmctld"


def main() -> None:
    silent_since = None
    while True:
        time.sleep(EVERY_SECONDS)
        if answers() or not is_active():
            silent_since = None
            continue
        now = time.monotonic()
        silent_since = now if silent_since is None else silent_since
        if now - silent_since >= HANGS_SECONDS:
            silent = now - silent_since
            print(f"{UNIT} has not answered for {silent:.0f} s: it is restarted", flush=True)
            subprocess.run(["systemctl", "kill", "--signal=KILL", UNIT], check=False)
            subprocess.run(["systemctl", "restart", UNIT], check=False)
            silent_since = None


def answers() -> bool:
    try:
        done = subprocess.run(
            ["scontrol", "ping"], capture_output=True, check=False, timeout=ANSWER_SECONDS
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def is_active() -> bool:
    done = subprocess.run(["systemctl", "is-active", "--quiet", UNIT], check=False)
    return done.returncode == 0


if __name__ == "__main__":
    main()

"""How a program of a job ends: a module that lies beside the programs that import it.

Python 3.9, standard library.
"""

from __future__ import annotations

import checkpoint_cleanup

EXIT_ENVIRONMENT = 92


class StopError(Exception):
    """The program cannot do its work; `code` is the exit code."""

    def __init__(self, reason, code=1):
        super().__init__(reason)
        self.code = code


def newest_checkpoint(folder, marker):
    """The path of the newest whole checkpoint. Raises StopError without one."""
    found = checkpoint_cleanup.newest(folder, marker)
    if found is None:
        raise StopError(f"{folder} has no checkpoint with {marker}", EXIT_ENVIRONMENT)
    return found


def exit_code(work):
    """The exit code of a function without arguments, whose error is printed."""
    try:
        work()
    except StopError as error:
        print(error, flush=True)
        return error.code
    except OSError as error:
        print(error, flush=True)
        return 1
    return 0

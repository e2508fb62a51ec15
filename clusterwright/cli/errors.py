"""The error that a command reports as a message instead of a traceback."""

from __future__ import annotations

import errno
from typing import Final

# What the machine or the user has not permitted, or has no room for.
_FAULTS_OF_THE_MACHINE: Final = frozenset(
    {
        errno.EACCES,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
        errno.ELOOP,
        errno.EMFILE,
        errno.ENAMETOOLONG,
        errno.ENFILE,
        errno.ENODEV,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.ENXIO,
        errno.EPERM,
        errno.EROFS,
        errno.ESTALE,
    }
)


class UserError(Exception):
    """An error in the command line, a file or the environment that the user can correct.

    Parameters
    ----------
    message:
        What is wrong and where, without a full stop at the end.
    hint:
        How to correct it: an edit or a command.
    exit_code:
        3 unless the command documents another exit code.
    """

    def __init__(self, message: str, hint: str | None = None, *, exit_code: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


def machine_fault(error: BaseException) -> str | None:
    """Return the message of a fault of the machine; None for an internal error."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if not isinstance(error, OSError) or error.errno not in _FAULTS_OF_THE_MACHINE:
        return None
    reason = (error.strerror or str(error)).lower()
    return f"{error.filename}: {reason}" if error.filename is not None else reason

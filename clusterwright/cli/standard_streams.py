"""The standard streams of the process: closed, full, and without UTF-8."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from clusterwright.cli.errors import UserError

_STDOUT = 1


def prepare() -> None:
    """Replace the streams that Python opened.

    Stdout that cannot be written is an error of the user or the machine. A reader that closes its
    end (`| head`) is none, and does not change the exit code. Outside a terminal text is UTF-8,
    whatever the locale is, because JSON and YAML are; a terminal gets what it cannot show as
    escape sequences.

    Raises
    ------
    UserError
        Stdout is closed.
    """
    # Otherwise the next file that is opened becomes this stream.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        raise UserError("stdout is closed", "`> /dev/null` discards the output")
    sys.stdout.flush()
    raw = _Stdout(_STDOUT, "w", closefd=False)
    terminal = raw.isatty()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=sys.stdout.encoding if terminal else "utf-8",
        errors="backslashreplace",
        line_buffering=terminal,
    )


def flush() -> None:
    """Write what is buffered.

    Raises
    ------
    UserError
        Stdout cannot be written.
    """
    if sys.stdout is not None:
        sys.stdout.flush()


class _Stdout(io.FileIO):
    """Stdout, which after an error discards everything, so that Python can end."""

    _failed = False

    def write(self, data: Any, /) -> int:
        if self._failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            self._failed = True
            return memoryview(data).nbytes
        except OSError as error:
            self._failed = True
            reason = (error.strerror or str(error)).lower()
            raise UserError(f"stdout cannot be written: {reason}") from None

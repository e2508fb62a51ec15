"""Handlers of signals in a job file: `trap TEXT SIGNAL...`, with the functions that they call.

Forms: GNU Bash manual, "Bourne Shell Builtins"; kill(1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.jobs.job_file import JobFile
from clusterwright.jobs.shell import Command, read_script

_NUMBERS: Final = {"10": "USR1", "12": "USR2", "15": "TERM", "2": "INT", "1": "HUP", "0": "EXIT"}


@dataclass(frozen=True)
class Trap:
    """A handler that does something.

    Attributes
    ----------
    signals:
        Without `SIG`; `EXIT` for the end of the script.
    commands:
        Those of the text, the bodies of functions in place of their calls.
    """

    signals: frozenset[str]
    commands: tuple[Command, ...]

    @property
    def known(self) -> bool:
        """Whether the file determines its commands."""
        return not any(one.words[0].dynamic for one in self.commands)


def traps(file: JobFile) -> Iterator[Trap]:
    """The handlers of a job file: `trap '' SIGNAL` and `trap - SIGNAL` have none."""
    for command in file.commands:
        words = [word for word in command.words[1:] if word.text != "--"]
        if command.name != "trap" or len(words) < 2 or words[0].text in ("", "-", "-p", "-l"):
            continue
        script = read_script(words[0].text, {}, functions=file.script.functions)
        signals = frozenset(signal_name(word.text) for word in words[1:])
        yield Trap(signals, tuple(one for one in script.commands if one.words))


def signal_name(signal: str) -> str:
    """A signal without `SIG`, numbers as names."""
    return _NUMBERS.get(signal, signal.upper().removeprefix("SIG"))

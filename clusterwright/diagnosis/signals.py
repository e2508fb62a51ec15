"""What the signal that ended a process says: signal(7), and bash(1), EXIT STATUS. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from signal import Signals
from typing import Final

_WORDS_AND_SENTENCES: Final[Mapping[int, tuple[str, str]]] = {
    4: (
        "illegal instruction",
        "it has instructions that the processor does not know (SIGILL): it was built for another",
    ),
    6: (
        "aborted",
        "it aborted (SIGABRT), as NCCL's watchdog, assertions and uncaught errors of C++ do",
    ),
    7: (
        "bus error",
        "bus error (SIGBUS): /dev/shm is too small, or a mapped file was truncated",
    ),
    8: ("floating point exception", "arithmetic error (SIGFPE), such as a division by zero"),
    9: (
        "killed",
        "it was killed (SIGKILL), in most cases because the memory of the host, the container or "
        "the job was used up",
    ),
    11: ("segmentation fault", "it crashed (SIGSEGV, segmentation fault)"),
}
"""By number: the word of strsignal(3), which shells and srun write, and what it says. SIGTERM is
missing: services and jobs are stopped with it."""
_BY_WORD: Final = dict(_WORDS_AND_SENTENCES.values())
_SHELL: Final = 128
"""What shells add to a signal's number for their exit code."""
WORDS: Final = "|".join(word.capitalize() for word, _ in _WORDS_AND_SENTENCES.values())
"""An expression of the words as they are written."""
_WORD: Final = re.compile(rf"\b(?:{WORDS})\b")


def of_number(number: int) -> str | None:
    """What a signal's number says; None of one that says nothing."""
    found = _WORDS_AND_SENTENCES.get(number)
    return None if found is None else found[1]


def of_exit_code(code: int) -> str | None:
    """The same of the exit code of a shell (128 and the number) or of Python (negative)."""
    return of_number(-code if code < 0 else code - _SHELL)


def of_name(name: str) -> str | None:
    """The same of a name, such as `SEGV` or `SIGSEGV`, or of a number in its place."""
    if name.isdecimal():
        return of_number(int(name))
    found = Signals.__members__.get(f"SIG{name.upper().removeprefix('SIG')}")
    return None if found is None else of_number(found.value)


def of_word(word: str) -> str:
    """The same of one of `WORDS`."""
    return _BY_WORD[word.lower()]


def said_in(text: str) -> str | None:
    """The same of the first of `WORDS` in a text."""
    found = _WORD.search(text)
    return None if found is None else of_word(found.group())

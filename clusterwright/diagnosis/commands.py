"""Which program or script a command runs, behind sudo, env, the name of a shell and the like.

Sources: sudo(8) 1.9, env(1), timeout(1), nice(1), nohup(1) and time(1) of GNU, bash(1) 5, dash(1),
Python's "Command line and environment"; read 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class _Wrapper:
    """A program that runs another: its options with a value in the next word, the options whose
    value is no file (a text of commands, a module), and whether it has a word of its own.
    """

    takes: str = ""
    long: frozenset[str] = frozenset()
    ends: str = ""
    long_ends: frozenset[str] = frozenset()
    has_word: bool = False


_SHELL: Final = _Wrapper("oO", frozenset({"--rcfile", "--init-file"}), "c")
_WRAPPERS: Final[Mapping[str, _Wrapper]] = {
    "sudo": _Wrapper(
        "aCcDghpRrtTUu",
        frozenset(
            {
                *("--auth-type", "--close-from", "--login-class", "--chdir", "--group", "--host"),
                *("--prompt", "--chroot", "--role", "--type", "--command-timeout"),
                *("--other-user", "--user"),
            }
        ),
    ),
    "env": _Wrapper(
        "uCa", frozenset({"--unset", "--chdir", "--argv0"}), "S", frozenset({"--split-string"})
    ),
    "bash": _SHELL,
    "sh": _SHELL,
    "dash": _SHELL,
    "nohup": _Wrapper(),
    "timeout": _Wrapper("ks", frozenset({"--kill-after", "--signal"}), has_word=True),
    "nice": _Wrapper("n", frozenset({"--adjustment"})),
    "time": _Wrapper("fo", frozenset({"--format", "--output"})),
    "exec": _Wrapper("a"),
    "python": _Wrapper("WX", frozenset({"--check-hash-based-pycs"}), "cm"),
}
_PYTHON: Final = re.compile(r"python[\d.]*$")
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*=")


def program_of(words: Sequence[str]) -> str:
    """The name of the program or script that a command runs, without its folder. Where a shell or
    an interpreter has the text or a module, its own name; empty without a word.
    """
    named = ""
    wrapper = _Wrapper()
    left = list(words)
    while left:
        word = left.pop(0)
        if _ASSIGNED.match(word):
            continue
        if named and word == "-" and "c" in wrapper.ends:
            # The text comes from the standard input.
            return named
        if named and word[:1] in ("-", "+"):
            if _is_end(wrapper, word):
                return named
            if word != "--" and _has_value(wrapper, word) and left:
                left.pop(0)
            continue
        if wrapper.has_word:
            wrapper = _Wrapper(wrapper.takes, wrapper.long)
            continue
        named = word.rpartition("/")[2] or word
        known = _WRAPPERS.get("python" if _PYTHON.match(named) else named)
        if known is None:
            return named
        wrapper = known
    return named


def _is_end(wrapper: _Wrapper, option: str) -> bool:
    """Whether what follows an option is no program: `-c`, `-lc`, `-m`, `--split-string=`."""
    if option.startswith("--"):
        return option.partition("=")[0] in wrapper.long_ends
    for letter in option[1:]:
        if letter in wrapper.ends:
            return option[0] == "-"
        if letter in wrapper.takes:
            return False
    return False


def _has_value(wrapper: _Wrapper, option: str) -> bool:
    """Whether the next word is the value of an option, as in `-u ubuntu` and `-nu ubuntu`."""
    if option.startswith("--"):
        return option in wrapper.long
    first = next((at for at, one in enumerate(option[1:], 1) if one in wrapper.takes), None)
    return first == len(option) - 1

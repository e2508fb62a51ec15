"""Options of sbatch and srun, read as getopt_long reads them.

Source: `sbatch --help` and `srun --help` of Slurm 24.11.5 (Debian trixie), sbatch(1) and srun(1)
of Slurm 25.11 for options that the help text leaves out, and Pyxis's README for `--container-*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.jobs.shell import Word

Argument = Literal["none", "required", "optional"]

_SHARED: Final = """
acctg-freq= account=A bb= bbf= begin=b cluster-constraint= clusters=M comment= constraint=C
container= container-id= contiguous core-spec=S cores-per-socket= cpu-freq= cpus-per-gpu=
cpus-per-task=c deadline= delay-boot= dependency=d chdir=D distribution=m error=e exclude=x
exclusive? export= extra= extra-node-info=B gpu-bind= gpu-freq= gpus=G gpus-per-node=
gpus-per-socket= gpus-per-task= gres= gres-flags= help:h hint= hold:H input=i job-name=J
licenses=L mail-type= mail-user= mcs-label= mem= mem-bind= mem-per-cpu= mem-per-gpu= mincpus=
network= nice? no-kill?k nodelist=w nodes=N ntasks=n ntasks-per-core= ntasks-per-gpu=
ntasks-per-node= ntasks-per-socket= ntasks-per-switch= oom-kill-step? open-mode= output=o
overcommit:O oversubscribe:s partition=p power= prefer= priority= profile= propagate? qos=q
quiet:Q reboot reservation= resv-ports? segment= signal= sockets-per-node= spread-job stepmgr
switches= test-only thread-spec= threads-per-core= time=t time-min= tmp= tres-bind=
tres-per-task= usage use-min-nodes verbose:v version:V wait-all-nodes= wckey=
consolidate-segments
"""
_PYXIS: Final = """
container-image= container-mounts= container-workdir= container-name= container-save=
container-mount-home no-container-mount-home container-remap-root no-container-remap-root
container-entrypoint no-container-entrypoint container-entrypoint-log no-container-entrypoint-log
container-writable container-readonly container-env= container-unshare=
"""
_SBATCH: Final = """
array=a batch= export-file= get-user-env? gid= ignore-pbs kill-on-invalid-dep= no-requeue
nodefile=F parsable requeue uid= umask= wait:W wrap=
"""
_SRUN: Final = """
bcast? bcast-exclude= compress? disable-status:X epilog= exact external-launcher het-group=
immediate?I jobid= kill-on-bad-exit?K label:l mpi= msg-timeout= multi-prog no-allocate:Z nodefile=F
overlap preserve-env:E prolog= pty? quit-on-interrupt:q relative=r send-libs? slurmd-debug=
task-epilog= task-prolog= threads=T tree-width= treewidth= tres-per-job= unbuffered:u
wait=W auto-resume= cpu-bind= nodefile=F x11?
"""


_VARIABLE: Final = re.compile(r"\$\{?\w+(?:\[[@*]\])?\}?")


@dataclass(frozen=True)
class Option:
    """One option with its value, empty without one; `name` is the long name."""

    name: str
    value: str
    line: int
    column: int
    length: int
    dynamic: bool = False
    written: str = ""


@dataclass(frozen=True)
class Mistake:
    """An option that getopt refuses. `kind` is unknown, ambiguous, argument or stray."""

    kind: Literal["unknown", "ambiguous", "argument", "stray"]
    text: str
    word: Word
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """The options of a program, by long name and by letter."""

    long: Mapping[str, Argument]
    short: Mapping[str, str]


def _table(*texts: str) -> Table:
    long: dict[str, Argument] = {}
    short: dict[str, str] = {}
    for entry in " ".join(texts).split():
        for mark, argument in (("=", "required"), ("?", "optional"), (":", "none")):
            name, found, letter = entry.partition(mark)
            if found:
                long[name] = argument  # type: ignore[assignment]
                if letter:
                    short[letter] = name
                break
        else:
            long[entry] = "none"
    return Table(long, short)


SBATCH: Final = _table(_SHARED, _PYXIS, _SBATCH)
SRUN: Final = _table(_SHARED, _PYXIS, _SRUN)


def read_options(
    words: Sequence[Word], table: Table
) -> tuple[list[Option], list[Mistake], Sequence[Word]]:
    """Return the options, the mistakes, and the words from the first that is not an option."""
    reader = _Reader(table, words)
    options = list(reader.read())
    return options, reader.mistakes, words[reader.at :]


class _Reader:
    def __init__(self, table: Table, words: Sequence[Word]) -> None:
        self.table = table
        self.words = words
        self.at = 0
        self.mistakes: list[Mistake] = []

    def read(self) -> Iterator[Option]:
        while self.at < len(self.words):
            word = self.words[self.at]
            if word.text == "--":
                self.at += 1
                return
            if word.text.startswith("--"):
                self.at += 1
                yield from self._long(word)
            elif word.text.startswith("-") and len(word.text) > 1:
                self.at += 1
                yield from self._short(word)
            elif self._hides_options(word):
                self.at += 1
            else:
                return

    def _hides_options(self, word: Word) -> bool:
        """Whether a variable that the file does not determine stands among the options."""
        following = self.words[self.at + 1].text if self.at + 1 < len(self.words) else ""
        name = following.partition("=")[0]
        known = name.startswith("--") and name[2:] in self.table.long
        return word.dynamic and _VARIABLE.fullmatch(word.text) is not None and known

    def _long(self, word: Word) -> Iterator[Option]:
        written, equals, value = word.text[2:].partition("=")
        names = (
            [written]
            if written in self.table.long
            else [name for name in self.table.long if name.startswith(written)]
        )
        if len(names) != 1:
            kind: Literal["unknown", "ambiguous"] = "ambiguous" if names else "unknown"
            if not word.dynamic or "{" not in written:
                self.mistakes.append(Mistake(kind, f"--{written}", word, tuple(names)))
            return
        argument = self.table.long[names[0]]
        if argument == "none" and equals:
            self.mistakes.append(Mistake("argument", f"--{names[0]} takes no value", word))
        elif argument == "required" and not equals:
            yield from self._with_next(names[0], word)
            return
        yield _option(names[0], value, word, f"--{written}")

    def _short(self, word: Word) -> Iterator[Option]:
        rest = word.text[1:]
        while rest:
            letter, rest = rest[0], rest[1:]
            name = self.table.short.get(letter)
            if name is None:
                self.mistakes.append(Mistake("unknown", f"-{letter}", word))
                return
            argument = self.table.long[name]
            if argument == "required" and not rest:
                yield from self._with_next(name, word)
                return
            yield _option(name, rest if argument != "none" else "", word, f"-{letter}")
            if argument != "none":
                return

    def _with_next(self, name: str, word: Word) -> Iterator[Option]:
        if self.at >= len(self.words):
            self.mistakes.append(Mistake("argument", f"--{name} requires a value", word))
            return
        value = self.words[self.at]
        self.at += 1
        same = value.line == word.line and value.column >= word.column
        length = value.column + value.length - word.column if same else word.length
        yield Option(name, value.text, word.line, word.column, length, value.dynamic, f"--{name}")


def _option(name: str, value: str, word: Word, written: str) -> Option:
    return Option(name, value, word.line, word.column, word.length, word.dynamic, written)

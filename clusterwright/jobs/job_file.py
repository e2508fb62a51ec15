"""A job file: its `#SBATCH` options, assignments, commands, steps and launchers.

Slurm reads `#SBATCH` up to the first line that is neither blank nor a comment, and expands no
variables there (sbatch(1); tried with sbatch 24.11.5). `#SBATCH hetjob` begins the options of the
next component of a heterogeneous job. The job here is the first one, which the script and srun
without --het-group run in (Slurm's documentation, heterogeneous jobs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from clusterwright.cluster_spec.problems import Position
from clusterwright.jobs import values
from clusterwright.jobs.launchers import LAUNCHERS
from clusterwright.jobs.lexer import Unread, lex
from clusterwright.jobs.options import SBATCH, SRUN, Mistake, Option, read_options
from clusterwright.jobs.shell import (
    TESTS,
    Assignment,
    Command,
    Script,
    Word,
    joined,
    nested,
    read_script,
)

DIRECTIVE: Final = "#SBATCH"
_SEPARATORS: Final = (["hetjob"], ["packjob"])
_NOT_READ: Final = re.compile(r"(\s+#SBATCH|\s*#\s+SBATCH|\s*#(?i:sbatch)(?<!#SBATCH))\s+-")
_SECRET: Final = re.compile(
    r"hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|nvapi-[\w-]{30,}|sk-[A-Za-z0-9_-]{24,}|xox[abprs]-[\w-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_SECRET_NAME: Final = re.compile(
    r"(?:^|_)(?:SECRET_ACCESS_KEY|SESSION_TOKEN|TOKEN|API_KEY|APIKEY|PASSWORD|PASSWD|SECRET"
    r"|ACCESS_KEY_ID|AUTH_KEY)$"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)^(?:$|.{0,7}$|\*+$|<.*>|.*(?:your|change|replace|example|xxx|todo|none|null|dummy).*)$"
)
_WRAPPERS: Final = {
    "env": 0,
    "time": 0,
    "nohup": 0,
    "exec": 0,
    "nice": 0,
    "stdbuf": 0,
    "command": 0,
}
TORCHRUN: Final = frozenset({"torchrun", "hyperpodrun", "ft_launcher"})
_MODULES: Final = frozenset({"torch.distributed.run", "torch.distributed.launch"})
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")
_SLURM_NODES: Final = ("SLURM_NNODES", "SLURM_JOB_NUM_NODES")


@dataclass(frozen=True)
class Launcher:
    """`torchrun` and what is like it, with its options under names with hyphens.

    Attributes
    ----------
    options:
        Value and word by name: `nproc-per-node`, `nnodes`, `rdzv-endpoint`, `master-addr`.
    script:
        The words of the training program.
    certain:
        False in a branch or a loop of the text of `bash -c`.
    """

    name: str
    word: Word
    options: Mapping[str, Word]
    script: tuple[Word, ...]
    certain: bool = True

    @property
    def nodes_word(self) -> Word | None:
        """The option that says for how many nodes it waits."""
        return self.options.get(self._nodes_name)

    @property
    def nodes(self) -> int | None:
        """The number of nodes that it waits for; None if absent or not known from the file."""
        return self.number(self._nodes_name)

    @property
    def alone(self) -> bool:
        """Whether each one trains by itself: it waits for one node, or for no other."""
        return self.nodes == 1 or "standalone" in self.options

    @property
    def _nodes_name(self) -> str:
        return "num-machines" if self.name == "accelerate" else "nnodes"

    def number(self, name: str) -> int | None:
        """The value of an option as a number; None if absent or not known from the file."""
        word = self.options.get(name)
        return values.whole(word.text) if word is not None and not word.dynamic else None


@dataclass(frozen=True)
class Step:
    """A command that runs the job's work: under srun, mpirun, or in the batch script itself.

    Attributes
    ----------
    runner:
        `srun`, `mpirun`, or empty.
    program:
        The words after srun and its options.
    programs:
        The program as a command, or the commands of `bash -c TEXT`; each is certain if it is
        within the text.
    hidden:
        The options that a variable may have that the file does not determine; `*` stands for
        any.
    """

    command: Command
    runner: str
    options: Mapping[str, Option]
    program: tuple[Word, ...]
    launcher: Launcher | None
    mistakes: tuple[Mistake, ...] = ()
    programs: tuple[Command, ...] = ()
    hidden: frozenset[str] = frozenset()

    @property
    def arguments(self) -> tuple[Word, ...]:
        """The words of the program, or of all commands of `bash -c TEXT`."""
        return tuple(word for one in self.programs for word in one.words)

    def may_have(self, *names: str) -> bool:
        """Whether a variable may have one of these options."""
        return not self.hidden.isdisjoint(("*", *names))

    @property
    def word(self) -> Word:
        return self.command.words[0]

    @property
    def places(self) -> list[str]:
        """What srun's options say of where it runs: several such steps may run at once."""
        names = ("nodelist", "relative")
        return [self.options[name].value for name in names if name in self.options]

    @property
    def name(self) -> str:
        """The program's name, without its folder."""
        return self.program[0].text.rpartition("/")[2] if self.program else ""

    def says(self, *names: str) -> Word | None:
        """The first word of the program that is one of `names`, or ends with `/` and one."""
        for word in self.program:
            for text in word.text.split() if " " in word.text else (word.text,):
                if text.rpartition("/")[2] in names:
                    return word
        return None


@dataclass(frozen=True)
class JobFile:
    """A job file that was read; nothing in it was executed."""

    name: str
    text: str
    options: tuple[Option, ...]
    """Those of the first component of a heterogeneous job."""

    mistakes: tuple[Mistake, ...]
    not_directives: tuple[Word, ...]
    """Lines that look like `#SBATCH` and are not read by Slurm."""

    script: Script
    unread: tuple[Unread, ...]
    further: tuple[Option, ...] = ()
    """The options of the further components of a heterogeneous job."""

    _cache: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    @property
    def submitted(self) -> tuple[Command, ...]:
        """Commands `sbatch` whose batch script is a here-document of this file."""
        starts = {document.line for document in self.script.here_documents}
        found = [command for command in self.script.commands if command.name == "sbatch"]
        return tuple(command for command in found if command.words[0].line in starts)

    # -- options --------------------------------------------------------------------------------

    @property
    def all_options(self) -> tuple[Option, ...]:
        """The options of all components, for rules on each option by itself."""
        return (*self.options, *self.further)

    def option(self, *names: str) -> Option | None:
        """The last option with one of the names, which is the one that counts."""
        return next((o for o in reversed(self.options) if o.name in names), None)

    def value(self, name: str) -> str | None:
        """The value of an option; None if absent."""
        found = self.option(name)
        return found.value if found is not None else None

    def count(self, name: str) -> int | None:
        """The value of an option as a whole number; None if absent or not a number."""
        return values.whole(self.value(name) or "")

    @cached_property
    def nodes(self) -> tuple[int, int] | None:
        """Smallest and largest number of nodes; None if the file does not say."""
        found = self.option("nodes")
        if found is None:
            tasks, each = self.count("ntasks"), self.count("ntasks-per-node")
            if tasks and each:
                return -(-tasks // each), -(-tasks // each)
            return None
        try:
            return values.nodes(found.value)
        except ValueError:
            return None

    @property
    def many_nodes(self) -> bool:
        """Whether the job has, or may have, more than one node by its options."""
        return self.nodes is not None and self.nodes[1] > 1

    @cached_property
    def minutes(self) -> float | None:
        """The time limit; None without one, or if Slurm refuses it."""
        found = self.option("time")
        try:
            return values.minutes(found.value) if found is not None else None
        except ValueError:
            return None

    # -- environment ----------------------------------------------------------------------------

    @cached_property
    def environment(self) -> tuple[Assignment, ...]:
        """Assignments that programs see, in the order of the file, with those of `--export`."""
        found = [a for a in self.script.assignments if a.exported]
        stated = [option for step in self.steps for option in step.options.values()]
        for option in (*self.options, *stated):
            if option.name == "export":
                for part in option.value.split(","):
                    name, equals, value = part.partition("=")
                    if equals:
                        word = Word(value, option.line, option.column, option.length)
                        of_step = option not in self.options
                        found.append(Assignment(name, word, True, for_one=of_step))
        for command in self.commands:
            found += list(_of_env(command))
        return tuple(sorted(found, key=lambda a: (a.value.line, a.value.column)))

    def variable(self, name: str) -> Assignment | None:
        """The last exported assignment of a variable."""
        return next((a for a in reversed(self.environment) if a.name == name), None)

    # -- commands -------------------------------------------------------------------------------

    @cached_property
    def _inherited(self) -> dict[str, str]:
        """What shells of steps know: Slurm's variables, and those that the script exports."""
        found = dict(self.slurm_variables)
        for assignment in self.script.assignments:
            if assignment.certain and assignment.exported and not assignment.value.dynamic:
                found[assignment.name] = assignment.value.text
            elif assignment.exported or not assignment.certain:
                found.pop(assignment.name, None)
        return found

    @cached_property
    def _hold_options(self) -> dict[str, frozenset[str]]:
        """Variables that have options, or nothing, wherever the file sets them, and which."""
        texts: dict[str, list[Word]] = {}
        for assignment in self.script.assignments:
            texts.setdefault(assignment.name, []).append(assignment.value)
        return {
            name: frozenset(option for word in found for option in _option_names(word))
            for name, found in texts.items()
            if any(word.text for word in found)
            and all(word.text.startswith("-") or not word.text for word in found)
        }

    @cached_property
    def slurm_variables(self) -> dict[str, str]:
        """Slurm's variables whose values the options determine."""
        return _slurm_variables(self.options)

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """Commands, and those of `bash -c`, in the order of the file."""
        inner = nested(self.script.commands, self._inherited, self.script.functions)
        return (*self.script.commands, *inner)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Commands under srun or mpirun, and launchers without either."""
        return tuple(step for command in self.script.commands for step in self._steps(command))

    def _steps(self, command: Command) -> Iterator[Step]:
        words = _unwrapped(command.words)
        if not words:
            return
        name = words[0].text.rpartition("/")[2]
        if name == "srun":
            options, mistakes, program = self._options(words[1:])
            table = {option.name: option for option in options}
            found = self._step(command, "srun", program, table, mistakes)
            yield replace(found, hidden=self._hidden(words[1:], options, program))
        elif name in ("mpirun", "mpiexec"):
            yield self._step(command, "mpirun", words[1:])
        elif self._launcher(words) is not None:
            yield self._step(command, "", words)

    def _step(
        self,
        command: Command,
        runner: str,
        program: Sequence[Word],
        options: Mapping[str, Option] | None = None,
        mistakes: Sequence[Mistake] = (),
    ) -> Step:
        chdir = (options or {}).get("chdir")
        folder = joined(command.folder, chdir.value) if chdir is not None else command.folder
        whole = Command(tuple(program), folder=folder)
        inner = list(nested([whole], self._inherited, self.script.functions))
        programs = _guarded(inner) if inner else [whole]
        return Step(
            command,
            runner,
            options or {},
            tuple(program),
            _launcher(program) or _launcher_of(programs),
            tuple(mistakes),
            tuple(programs),
        )

    def _options(
        self, words: Sequence[Word]
    ) -> tuple[list[Option], list[Mistake], Sequence[Word]]:
        """The options of srun, past variables of branches that have options, or nothing."""
        options, mistakes, program = read_options(words, SRUN)
        while program and _variable(program[0]) in self._hold_options:
            more, wrong, program = read_options(program[1:], SRUN)
            options, mistakes = [*options, *more], [*mistakes, *wrong]
        return options, mistakes, program

    def _hidden(
        self,
        words: Sequence[Word],
        options: Sequence[Option],
        program: Sequence[Word],
    ) -> frozenset[str]:
        """The options that variables among the words of srun may have; `*` is any."""
        values_read = {option.value for option in options if option.dynamic}
        before = words[: len(words) - len(program) + 1]
        names = {_variable(word) for word in before if word.text not in values_read}
        any_one = frozenset({"*"})
        return frozenset(
            option
            for name in names - {None}
            for option in self._hold_options.get(name or "", any_one)
        )

    def _launcher(self, words: Sequence[Word]) -> Launcher | None:
        inner = nested([Command(tuple(words))], self._inherited, self.script.functions)
        return _launcher(words) or _launcher_of(list(inner))

    @cached_property
    def launchers(self) -> tuple[tuple[Step, Launcher], ...]:
        return tuple((step, step.launcher) for step in self.steps if step.launcher is not None)

    @cached_property
    def images(self) -> tuple[Option, ...]:
        """`--container-image` of the job and of its steps."""
        found = [option for option in self.options if option.name == "container-image"]
        found += [
            s.options["container-image"] for s in self.steps if "container-image" in s.options
        ]
        return tuple(found)

    @cached_property
    def all_words(self) -> tuple[Word, ...]:
        """The words of all commands; those of `bash -c` are read as commands."""
        return tuple(word for command in self.commands for word in command.words)

    # -- positions ------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def position(self, line: int, column: int = 1, length: int = 1) -> Position:
        """The position for a finding; secrets on the line are masked."""
        shown = self.lines[line - 1].rstrip("\r") if 0 < line <= len(self.lines) else ""
        for start, end in secret_spans(shown):
            shown = shown[:start] + "*" * (end - start) + shown[end:]
        return Position(self.name, line, column, max(1, length), shown)


def secret_spans(line: str) -> list[tuple[int, int]]:
    """Where a line has values that look like secrets."""
    spans = [match.span() for match in _SECRET.finditer(line)]
    for match in re.finditer(r"(?:^|[\s;,&(=])(\w+)=(\"[^\"]*\"|'[^']*'|[^\s,;]+)", line):
        value = match.group(2).strip("\"'")
        if is_secret(match.group(1), value):
            spans.append(match.span(2))
    return sorted(spans)


def is_secret(name: str, value: str) -> bool:
    """Whether an assignment has a secret as its text, not a placeholder or a variable."""
    if "$" in value or "`" in value:
        return False
    if _SECRET.search(value):
        return True
    return bool(_SECRET_NAME.search(name.upper())) and not (
        _PLACEHOLDER.match(value) or value.startswith("/")
    )


def read_job(text: str, name: str) -> JobFile:
    """Read a job file."""
    words, near = _directives(text)
    options: list[Option] = []
    further: list[Option] = []
    mistakes: list[Mistake] = []
    component = options
    for line in words:
        if [word.text for word in line] in _SEPARATORS:
            component = further
            continue
        found, wrong, rest = read_options(line, SBATCH)
        component += found
        mistakes += wrong
        mistakes += [Mistake("stray", rest[0].text, rest[0])] if rest else []
    variables = _slurm_variables(options)
    chdir = next((o.value for o in reversed(options) if o.name == "chdir"), None)
    script = read_script(text, variables, folder=joined(None, chdir) if chdir else None)
    # What stands in a here-document is text, such as another batch script.
    bodies = [line for document in script.here_documents for line in document.lines]
    own = tuple(word for word in near if word.line not in bodies)
    unread = tuple(script.unread)
    return JobFile(
        name, text, tuple(options), tuple(mistakes), own, script, unread, tuple(further)
    )


def _directives(text: str) -> tuple[list[list[Word]], list[Word]]:
    """The words of each `#SBATCH` line, and lines that only look like one."""
    found: list[list[Word]] = []
    near: list[Word] = []
    ended = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if line.startswith(DIRECTIVE):
            if ended:
                near.append(Word(line, number, 1, len(line)))
            else:
                found.append(_words(line, number))
        elif _NOT_READ.match(line):
            near.append(Word(line, number, 1, len(line)))
        elif line.strip() and not line.startswith("#"):
            ended = ended or not line.lstrip().startswith("#")
    return found, near


def _words(line: str, number: int) -> list[Word]:
    """The words of an `#SBATCH` line: quotes count, variables are text, `#` begins a comment."""
    start = len(DIRECTIVE)
    tokens = lex(line[start:], number, start + 1).tokens
    found: list[Word] = []
    for token in tokens:
        if token.operator == "\n":
            continue
        begin = token.column - 1
        raw = line[begin : begin + token.length]
        literal = all(part.kind in ("plain", "quoted") for part in token.parts)
        if token.parts and literal:
            text = "".join(part.text for part in token.parts)
        else:
            text = raw.replace('"', "")
        glued = found and found[-1].column + found[-1].length == token.column
        if glued:
            last = found.pop()
            text, begin = last.text + text, last.column - 1
        length = token.column + token.length - 1 - begin
        found.append(Word(text, number, begin + 1, length))
    return found


def _slurm_variables(options: Sequence[Option]) -> dict[str, str]:
    last = {option.name: option.value for option in options}
    found: dict[str, str] = {}
    try:
        low, high = values.nodes(last.get("nodes", ""))
    except ValueError:
        low, high = 0, 1
    if low == high:
        found |= dict.fromkeys(_SLURM_NODES, str(low))
    each = last.get("ntasks-per-node", "")
    if values.whole(each):
        found["SLURM_NTASKS_PER_NODE"] = each
    gpus = values.gpus(last.get("gpus-per-node", ""))[1]
    for name, _, count in values.resources(last.get("gres", "")):
        gpus = count if name == "gpu" and gpus is None else gpus
    if gpus:
        found |= {"SLURM_GPUS_PER_NODE": str(gpus), "SLURM_GPUS_ON_NODE": str(gpus)}
    if values.whole(last.get("cpus-per-task", "")):
        found["SLURM_CPUS_PER_TASK"] = last["cpus-per-task"]
    return found


def _unwrapped(words: Sequence[Word]) -> Sequence[Word]:
    """The words without `env A=B`, `time`, `timeout 1h` and what is like them in front."""
    while words:
        name = words[0].text.rpartition("/")[2]
        if name == "timeout":
            words = words[1:]
            while words and (
                words[0].text.startswith("-") or re.match(r"[\d.]+[smhd]?$", words[0].text)
            ):
                words = words[1:]
        elif name in _WRAPPERS:
            words = words[1:]
            while words and (words[0].text.startswith("-") or re.match(r"\w+=", words[0].text)):
                words = words[1:]
        else:
            break
    return words


def _variable(word: Word) -> str | None:
    """The variable that is all of a word, and that the file does not determine."""
    match = _VARIABLE.fullmatch(word.text) if word.dynamic else None
    return match.group(1) if match is not None else None


def _option_names(word: Word) -> Iterator[str]:
    """The options of srun in the value of a variable; `*` if it is not all known."""
    texts = [Word(text, word.line, word.column, word.length) for text in word.text.split()]
    options, _, rest = read_options(texts, SRUN)
    yield from (option.name for option in options)
    if rest:
        yield "*"


def _guarded(commands: Sequence[Command]) -> list[Command]:
    """Commands, those after `[ ... ] &&` as uncertain."""
    found: list[Command] = []
    guarded = False
    for command in commands:
        before = found[-1].name if found else ""
        listed = command.after in ("&&", "||")
        guarded = listed and (guarded or before in TESTS)
        found.append(replace(command, certain=command.certain and not guarded))
    return found


def _launcher_of(commands: Sequence[Command]) -> Launcher | None:
    """The first launcher of several commands."""
    for command in commands:
        found = _launcher(_unwrapped(command.words))
        if found is not None:
            return replace(found, certain=command.certain)
    return None


def _of_env(command: Command) -> Iterator[Assignment]:
    """`env A=B program`, and `--env`/`-x A=B` of mpirun and containers."""
    words = command.words
    for index, word in enumerate(words[:-1]):
        following = words[index + 1]
        if word.text in ("-x", "env") or word.text == "--env":
            name, equals, value = following.text.partition("=")
            if equals and name.isidentifier():
                text = Word(
                    value, following.line, following.column, following.length, following.dynamic
                )
                yield Assignment(name, text, True, for_one=True)


def _launcher(words: Sequence[Word]) -> Launcher | None:
    for index, word in enumerate(words):
        name = word.text.rpartition("/")[2]
        start = index + 1
        if name in _MODULES and index and words[index - 1].text == "-m":
            name = "torchrun"
        elif name == "accelerate" and index + 1 < len(words) and words[start].text == "launch":
            start += 1
        elif name not in TORCHRUN and not (name == "deepspeed" and index == 0):
            continue
        options, rest = _loose_options(words[start:])
        return Launcher(name, word, options, tuple(rest))
    return None


_FLAGS: Final = frozenset(flag for options in LAUNCHERS.values() for flag in options.flags)


def _loose_options(words: Sequence[Word]) -> tuple[dict[str, Word], Sequence[Word]]:
    """Options `--name value` and `--name=value` up to the program; `_` counts as `-`."""
    found: dict[str, Word] = {}
    index = 0
    while index < len(words) and words[index].text.startswith("-"):
        word = words[index]
        name, equals, value = word.text.lstrip("-").partition("=")
        name = name.replace("_", "-")
        index += 1
        if name in ("m", "module"):
            index -= 1
            break
        if equals:
            found[name] = Word(value, word.line, word.column, word.length, word.dynamic)
        elif name in _FLAGS:
            found[name] = Word("", word.line, word.column, word.length)
        elif index < len(words):
            found[name] = words[index]
            index += 1
    return found, words[index:]

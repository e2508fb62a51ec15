"""What the code of a custom step does to a node, as far as its text shows.

Commands are the string arguments of calls (`node.machine.change("systemctl", "restart", ...)`,
`subprocess.run([...])`), and lines of shell in one string. Values that are computed are not
followed: a step that passes here may still do any of this.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

DOWNLOADS: Final = "downloads"
OVERWRITES: Final = "overwrites"
DISTURBS: Final = "disturbs"
CHANGES_IN_CHECK: Final = "changes in check"


@dataclass(frozen=True)
class Effect:
    """One effect: its kind, the line of the file, and the words that show it."""

    kind: str
    line: int
    words: str
    reason: str


_DOWNLOADERS: Final = {
    "pip": ("install", "download"),
    "pip3": ("install", "download"),
    "apt": ("install", "update", "upgrade", "dist-upgrade"),
    "apt-get": ("install", "update", "upgrade", "dist-upgrade"),
    "yum": ("install", "update", "upgrade"),
    "dnf": ("install", "update", "upgrade"),
    "snap": ("install",),
    "conda": ("install", "create"),
    "npm": ("install", "ci"),
    "git": ("clone", "fetch", "pull"),
    "docker": ("pull", "run"),
    "podman": ("pull", "run"),
    "enroot": ("import",),
    "helm": ("install", "pull", "repo"),
    "go": ("install", "get"),
    "cargo": ("install",),
    "curl": (),
    "wget": (),
}
"""Programs that read from the internet, with the subcommands that do."""

_LOCAL: Final = re.compile(
    r"169\.254\.|127\.0\.0\.1|localhost|\[::1\]|--no-index|--offline|\.deb$|\.rpm$|\.whl$"
)
"""Arguments of commands that read no public address: the metadata service, or local files."""

_GENERATED: Final = (
    (
        re.compile(
            r"^/(?:opt/slurm/etc|etc/slurm|etc/slurm-llnl)/"
            r"(?:slurm|gres|cgroup|topology|plugstack|slurmdbd|acct_gather)\.(?:conf|yaml)$"
        ),
        "Slurm's files are generated, or written by the platform",
    ),
    (re.compile(r"^/etc/munge(?:/|$)"), "a node with another munge key leaves the cluster"),
    (re.compile(r"^/etc/hosts$"), "names of nodes and of AWS's services resolve by DNS"),
    (re.compile(r"^/etc/fstab$"), "file systems are mounted by units"),
    (
        re.compile(r"^/etc/(?:passwd|shadow|group|gshadow|sudoers)$"),
        "users are those of the spec",
    ),
    (
        re.compile(r"^/etc/(?:environment|nccl\.conf)$"),
        "every job gets it, whatever its own script expects",
    ),
    (re.compile(r"^/etc/systemd/system/(?:slurm\w+|munge)\.service$"), "the unit is generated"),
)

_DAEMONS: Final = frozenset(("slurmd", "slurmctld", "slurmdbd", "sackd", "munge", "munged"))
_STOPPING: Final = frozenset(
    ("restart", "stop", "kill", "reload", "try-restart", "disable", "mask")
)
_ENDING: Final = frozenset(("reboot", "shutdown", "poweroff", "halt", "init"))

_WRITERS: Final = frozenset(
    (
        "write_text",
        "write_bytes",
        "copy",
        "copyfile",
        "copy2",
        "move",
        "rename",
        "replace",
        "unlink",
    )
)
_RUNNERS: Final = frozenset(
    ("change", "query", "run", "call", "check_call", "check_output", "Popen", "system", "popen")
)
_CHANGING_CALLS: Final = frozenset(
    ("change", "write_text", "make_directory", "set_mode", "set_file_owner", "remove", "unlink")
)
_WRITING_PROGRAMS: Final = frozenset(("tee", "sed", "cp", "mv", "rm", "install", "ln", "truncate"))


def of_python(text: str) -> list[Effect]:
    """The effects of a step's Python code. Raises SyntaxError if it cannot be parsed."""
    tree = ast.parse(text)
    names = _constants(tree)
    found = [effect for call in _calls(tree) for effect in _of_call(call, names)]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in ("check", "applies"):
            found += _changes(node)
    return sorted(set(found), key=lambda each: (each.line, each.words))


def of_shell(text: str) -> list[Effect]:
    """The effects of a shell script, line by line, without its comments."""
    found: list[Effect] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith("#"):
            found += _of_shell_line(line, number)
    return found


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _constants(tree: ast.Module) -> dict[str, str]:
    """Names of the module's string constants."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _of_call(call: ast.Call, names: Mapping[str, str]) -> Iterator[Effect]:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    words = _words(call, names)
    if name in ("urlopen", "urlretrieve"):
        if not any(_LOCAL.search(word) for word in words):
            yield Effect(DOWNLOADS, call.lineno, name, "reads an address")
    elif name == "open":
        if any(set(word) <= set("rwxab+t") and set(word) & set("wxa+") for word in words[1:]):
            yield from _written(words[:1], call.lineno)
    elif name in _WRITERS:
        receiver = _receiver(function, names)
        yield from _written([*receiver, *words], call.lineno)
    elif name in _RUNNERS and words:
        # One string is a line of shell; otherwise the arguments are the command's.
        if len(words) == 1 and " " in words[0]:
            for line in words[0].splitlines():
                yield from _of_shell_line(line, call.lineno)
        else:
            yield from _of_command(words, call.lineno)


def _words(call: ast.Call, names: Mapping[str, str]) -> list[str]:
    """The string arguments of a call, also inside lists and tuples, in order."""
    found: list[str] = []

    def add(node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        elif isinstance(node, ast.Name) and node.id in names:
            found.append(names[node.id])
        elif isinstance(node, (ast.List, ast.Tuple)):
            for element in node.elts:
                add(element)
        elif isinstance(node, ast.Call):
            for argument in node.args:
                add(argument)

    for argument in call.args:
        add(argument)
    return found


def _receiver(function: ast.expr, names: Mapping[str, str]) -> list[str]:
    """The path of `Path("/etc/hosts").write_text(...)`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        return _words(function.value, names)
    return []


def _of_shell_line(line: str, number: int) -> Iterator[Effect]:
    # Redirections into a file, then each command of the line.
    for path in re.findall(r">>?\s*(/[\w./-]+)", line):
        yield from _written([path], number)
    for part in re.split(r"&&|\|\||[;|]", line):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            words = part.split()
        yield from _of_command(words, number)


def _of_command(words: list[str], line: int) -> Iterator[Effect]:
    words = _without_prefix(words)
    if not words:
        return
    program, rest = words[0].rpartition("/")[2], words[1:]
    shown = " ".join(words[:4])
    if program.startswith("python") and rest[:2] == ["-m", "pip"]:
        program, rest = "pip", rest[2:]
    if program in _DOWNLOADERS:
        wanted = _DOWNLOADERS[program]
        if (not wanted or set(wanted) & set(rest)) and not any(map(_LOCAL.search, rest)):
            yield Effect(DOWNLOADS, line, shown, "reads from the internet while the node starts")
    if program in _WRITING_PROGRAMS:
        yield from _written([word for word in rest if word.startswith("/")][-1:], line)
    if program in ("systemctl", "service"):
        units = {word.removesuffix(".service") for word in rest}
        if units & _DAEMONS and set(rest) & _STOPPING:
            reason = "jobs of the node may end, and Slurm's steps start the daemons in order"
            yield Effect(DISTURBS, line, shown, reason)
    if program in ("pkill", "killall") and set(rest) & _DAEMONS:
        yield Effect(DISTURBS, line, shown, "jobs of the node may end")
    if program in _ENDING or (program == "systemctl" and set(rest[:1]) & _ENDING):
        reason = "the node program does not end, and the platform may replace the node"
        yield Effect(DISTURBS, line, shown, reason)


def _without_prefix(words: list[str]) -> list[str]:
    """A command without `sudo`, `env` and assignments before it."""
    while words and (words[0] in ("sudo", "env", "exec", "nohup") or "=" in words[0]):
        words = words[1:]
    return words


def _written(paths: list[str], line: int) -> Iterator[Effect]:
    for path in paths:
        for pattern, reason in _GENERATED:
            if pattern.match(path):
                yield Effect(OVERWRITES, line, path, reason)


def _changes(function: ast.FunctionDef) -> Iterator[Effect]:
    """Calls that change the machine, which the node program refuses outside of `apply`."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        receiver = node.func.value
        is_machine = isinstance(receiver, ast.Attribute) and receiver.attr == "machine"
        if is_machine and node.func.attr in _CHANGING_CALLS:
            words = f"{function.name}() calls machine.{node.func.attr}"
            reason = "only apply() may change the machine; nodes refuse the step"
            yield Effect(CHANGES_IN_CHECK, node.lineno, words, reason)

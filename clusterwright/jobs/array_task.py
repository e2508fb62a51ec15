"""What a job file does with the number of an array's task.

Grammar: GNU Bash manual, "Conditional Constructs", "Bash Builtin Commands", "Shell Arithmetic".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

from clusterwright.jobs.background import OPENING
from clusterwright.jobs.functions import ENDS, begins
from clusterwright.jobs.lexer import Part, Token
from clusterwright.jobs.shell import READING, TESTS, Script

TASK: Final = "SLURM_ARRAY_TASK_ID"
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)\+?=")
_BRANCHES: Final = frozenset({"if", "case", "while", "until"})
_TESTING: Final = frozenset({*_BRANCHES, *TESTS, "elif", "let"})
_LEAVING: Final = frozenset({"exit", "return", "break", "continue"})
_RUNNING: Final = frozenset({"srun", "mpirun", "mpiexec", "torchrun"})
_MOST_TARGETS: Final = 50
_SIGN: Final = r"(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
_COMPUTED: Final = re.compile(rf"(?:\+\+|--)\s*([A-Za-z_]\w*)|\b([A-Za-z_]\w*)\s*{_SIGN}")
_GUARDED: Final = re.compile(r"\$\{(\w+):?[-=?+]")
_CONTINUED: Final = frozenset({"&&", "||", "|", "|&"})

Statement = tuple[Token, ...]
"""The tokens of a line; of several if all but the last end with `&&`, `||` or `|`."""


def statements(tokens: Iterable[Token]) -> list[Statement]:
    """The lines of a script, which have no comments and no here-documents."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.operator != "\n":
            found[-1].append(token)
        elif found[-1] and found[-1][-1].operator not in _CONTINUED:
            found.append([])
    return [tuple(one) for one in found if one]


def parts(tokens: Iterable[Token]) -> Iterator[Part]:
    """The parts of words, also of the words in `NAME=(...)`."""
    for token in tokens:
        yield from token.parts
        yield from parts(token.array or ())


def names_in(text: str) -> set[str]:
    """What may be a variable in a text."""
    return set(_NAME.findall(text))


def unconditional(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens outside `if`, `case`, `while` and `until`."""
    opened: list[str] = []
    for index, token in enumerate(tokens):
        if not token.operator and begins(tokens, index):
            if token.literal in OPENING:
                opened.append(token.literal or "")
            elif opened and token.literal in ENDS - {"}"}:
                opened.pop()
        if _BRANCHES.isdisjoint(opened):
            yield token


def dependents(tokens: Sequence[Token], script: Script, names: Set[str]) -> frozenset[str]:
    """The variables of `names`, and those whose values are made from them."""
    sources = [(one.name, names_in(one.value.text)) for one in script.assignments]
    for statement in statements(tokens):
        targets = set(_targets(statement))
        if targets:
            used = _references(statement, bare=True)
            sources += [(name, used) for name in targets]
        for token in statement:
            name = _assigned(token)
            if name is not None:
                sources.append((name, _references([token])))
    users: dict[str, set[str]] = {}
    for name, used in sources:
        for one in used:
            users.setdefault(one, set()).add(name)
    found, new = set(names), list(names)
    while new:
        more = users.get(new.pop(), set()) - found
        found |= more
        new += more
    return frozenset(found)


def tests(statement: Statement) -> bool:
    """Whether a line has a condition: `if`, `case`, `[`, `((`."""
    return _arithmetic(statement) or any(
        token.literal in _TESTING and begins(statement, index)
        for index, token in enumerate(statement)
    )


def tested(tokens: Sequence[Token], names: Set[str]) -> list[Statement]:
    """The lines with a condition that name one of the variables."""
    return [
        one for one in statements(tokens) if tests(one) and _references(one, bare=True) & names
    ]


def compared(tokens: Sequence[Token], script: Script, names: Set[str]) -> bool:
    """Whether a condition, a default or an exit depends on one of the variables."""
    # In functions words have the arguments of the call.
    words = [word for one in script.commands if one.name in TESTS for word in one.words]
    if any(word.dynamic and names_in(word.text) & names for word in words):
        return True
    return bool(tested(tokens, names)) or any(
        _leaves(one, names) or _has_default(one, names) for one in statements(tokens)
    )


def assigned(tokens: Sequence[Token]) -> bool:
    """Whether a script itself sets the number of the task."""
    for statement in statements(tokens):
        if TASK in _targets(statement) or any(_assigned(token) == TASK for token in statement):
            return True
        texts = [part.text for part in parts(statement) if part.kind == "dynamic"]
        if any(TASK in one.groups() for text in texts for one in _COMPUTED.finditer(text)):
            return True
    return False


def _references(tokens: Iterable[Token], *, bare: bool = False) -> set[str]:
    """The variables of words; `bare`: also names without `$`, as arithmetic has them."""
    found: set[str] = set()
    for part in parts(tokens):
        if part.kind == "variable":
            found |= {part.text, *names_in(part.default or "")}
        elif part.kind == "dynamic" or bare:
            found |= names_in(part.text)
    return found


def _assigned(token: Token) -> str | None:
    first = token.parts[0] if token.parts else None
    match = _ASSIGNED.match(first.text) if first is not None and first.kind == "plain" else None
    return match.group(1) if match is not None else None


def _targets(statement: Statement) -> Iterator[str]:
    """What `read`, `printf -v`, `for` and arithmetic set."""
    computed = _arithmetic(statement)
    for index, token in enumerate(statement):
        if token.operator or not begins(statement, index):
            continue
        after = [one.literal or "" for one in statement[index + 1 : index + 1 + _MOST_TARGETS]]
        if token.literal in READING:
            yield from (text for text in after if _NAME.fullmatch(text))
        elif token.literal == "printf" and after[:1] == ["-v"]:
            yield from after[1:2]
        elif token.literal == "for":
            yield from after[:1]
        computed = computed or token.literal == "let"
    if computed:
        text = " ".join("".join(part.text for part in one.parts) for one in statement)
        for match in _COMPUTED.finditer(text):
            yield match.group(1) or match.group(2)


def _arithmetic(statement: Statement) -> bool:
    """Whether a line has `((`."""
    signs = [token.operator for token in statement]
    return any(pair == ("(", "(") for pair in itertools.pairwise(signs))


def _leaves(statement: Statement, names: Set[str]) -> bool:
    """Whether a line such as `known $TASK || exit` ends the script; a step's failure may."""
    literals = {token.literal for token in statement}
    lookup = any(part.kind == "dynamic" and "[" in part.text for part in parts(statement))
    ends = not literals.isdisjoint(_LEAVING) and literals.isdisjoint(_RUNNING) and not lookup
    return ends and not _references(statement).isdisjoint(names)


def _has_default(statement: Statement, names: Set[str]) -> bool:
    """Whether `${NAME:-value}` or `${NAME:?}` stands for a variable made from the number."""
    others = names - {TASK}
    for part in parts(statement):
        if part.kind == "variable" and part.default is not None and part.text in others:
            return True
        if part.kind == "dynamic" and not others.isdisjoint(_GUARDED.findall(part.text)):
            return True
    return False

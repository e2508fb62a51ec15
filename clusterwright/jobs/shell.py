"""Commands and assignments of a shell script, with variables replaced where the file sets them.

A variable that a branch or a loop sets, or that the file does not set, has no known value: a word
with it keeps `${NAME}` and is `dynamic`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clusterwright.jobs.background import OPENING, backgrounds
from clusterwright.jobs.functions import Definition, Functions, definitions, mentions
from clusterwright.jobs.lexer import HereDocument, Part, Token, Unread, lex

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_DECLARING: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})
_LOCAL: Final = frozenset({"declare", "local", "typeset"})
_HANDED: Final = re.compile(r"(?:declare|typeset) -f ((?:[\w.:-]+ ?)+)")
TESTS: Final = frozenset({"[", "[[", "test"})
READING: Final = frozenset({"read", "mapfile", "readarray"})
"""Commands whose arguments are variables that they set."""
_SOURCING: Final = frozenset({"source", "."})
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")
_PARAMETER: Final = re.compile(r"\d+|[@*#]")
_CLOSING: Final = frozenset({"fi", "done", "esac"})
_SKIPPED: Final = frozenset({"then", "else", "elif", "do", "{", "}", "!", "time", "function"})
_ARITHMETIC: Final = re.compile(r"[\d+*/()% -]{1,60}")
_OPEN, _CLOSE = "\ue000", "\ue001"
"""Around what the file does not determine, inside values: private characters of Unicode."""
_PIECE: Final = re.compile(f"(?:[^\\s{_OPEN}]|{_OPEN}[^{_CLOSE}]*{_CLOSE})+")
_MOST_COMMANDS: Final = 5_000
_MOST_WORDS: Final = 5_000
_LONGEST_VALUE: Final = 20_000
_MOST_TOKENS: Final = 200_000
"""Of the bodies of functions, all calls together."""
_DEEPEST: Final = 20
"""Calls within calls."""


@dataclass(frozen=True)
class Word:
    """A word after expansion; `dynamic` if a part of it is not known from the file."""

    text: str
    line: int
    column: int
    length: int
    dynamic: bool = False


@dataclass(frozen=True)
class Assignment:
    """`NAME=value`, exported or before a command.

    Attributes
    ----------
    certain:
        False in a branch, a loop, or a function that is not called by a command of its own.
    for_one:
        Whether it is for one command alone: before it, or one of its arguments.
    """

    name: str
    value: Word
    exported: bool
    certain: bool = True
    for_one: bool = False


@dataclass(frozen=True)
class Redirection:
    """The output to a file: `>` and `&>` truncate it, `>>` appends to it."""

    sign: str
    target: Word

    @property
    def truncates(self) -> bool:
        """Whether the file is emptied first."""
        return ">" in self.sign and ">>" not in self.sign and "<" not in self.sign


@dataclass(frozen=True)
class Command:
    """A simple command.

    Attributes
    ----------
    words:
        The name and the arguments, without redirections.
    environment:
        Assignments before the command, for it alone.
    after:
        The operator between the previous command and this one: `&&`, `||`, `|`, or empty.
    before:
        The operator that follows: also `&`.
    outputs:
        The files that it writes by redirections; those of groups and loops are in
        `Script.outputs`.
    folder:
        The working directory, where `cd` says it; None where the file does not determine it.
    background:
        The number of the innermost list, group or call that runs in the background with it, in
        the script; 0 if the script waits for it.
    """

    words: tuple[Word, ...]
    environment: tuple[Assignment, ...] = ()
    after: str = ""
    before: str = ""
    certain: bool = True
    outputs: tuple[Redirection, ...] = ()
    folder: str | None = None
    background: int = 0

    @property
    def name(self) -> str:
        """The program without its folder."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""


@dataclass(frozen=True)
class GroupOutput:
    """A redirection without a command of its own.

    Attributes
    ----------
    commands:
        Those inside the group, loop, subshell or function; None of `> FILE` alone.
    """

    output: Redirection
    commands: tuple[Command, ...] | None


@dataclass
class Script:
    """What a script does, in the order of the file; functions where they are called.

    A call has no command of its own. The body of a function that the file only names (of `trap`,
    of `$(name)`) is at the end; one that is never named is not read.
    """

    commands: list[Command] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    here_documents: list[HereDocument] = field(default_factory=list)
    outputs: list[GroupOutput] = field(default_factory=list)
    """Of groups, loops and subshells, and of nothing: `} > FILE`, `done > FILE`, `> FILE`."""
    functions: Functions = field(default_factory=dict)
    aside: int | None = None
    """The first of the commands that only handlers of `trap` and `$(name)` run."""
    first_line: int | None = None
    """Line of the first command."""

    def following(self, command: Command) -> list[Command]:
        """The commands after one, without those of handlers."""
        place = next(index for index, one in enumerate(self.commands) if one is command)
        return self.commands[place + 1 : self.aside]


def read_script(
    text: str,
    variables: Mapping[str, str],
    line: int = 1,
    column: int = 1,
    *,
    folder: str | None = None,
    functions: Functions | None = None,
) -> Script:
    """Read a script.

    Parameters
    ----------
    variables:
        Known before it, such as those of Slurm.
    folder:
        The working directory at its beginning; None if it is not known.
    functions:
        Those of the script that starts this one.
    """
    lexed = lex(text.replace(_OPEN, "?").replace(_CLOSE, "?"), line, column)
    reader = _Reader({}, variables)
    reader.folder = folder
    reader.functions.update({name: list(found) for name, found in (functions or {}).items()})
    reader.read(lexed.tokens)
    reader.script.aside = len(reader.script.commands)
    if functions is None:
        reader.rest(lexed.tokens)
    reader.script.functions = reader.functions
    reader.script.unread += lexed.unread
    reader.script.here_documents += lexed.here_documents
    first = next((token for token in lexed.tokens if not token.operator), None)
    reader.script.first_line = first.line if first is not None else None
    return reader.script


_Variable = tuple[Mapping[str, str | None], Mapping[str, tuple[Token, ...] | None]]
"""What the tables of values and arrays have of a variable."""


def _handed_over(commands: Sequence[Command]) -> set[str]:
    """Functions that other shells get by `$(declare -f name)`."""
    found: set[str] = set()
    for command in commands:
        for word in command.words:
            for names in _HANDED.findall(word.text):
                found.update(names.split())
    return found


class _Reader:
    def __init__(
        self, arrays: dict[str, tuple[Token, ...] | None], variables: Mapping[str, str]
    ) -> None:
        self.script = Script()
        self.arrays = arrays
        self.values: dict[str, str | None] = dict(variables)
        self.depth = 0
        self.folder: str | None = None
        self.folders: list[str | None] = []
        self.groups: list[tuple[str, int]] = []
        """What opened each group, and the number of commands before it."""
        self.closed: int | None = None
        """The number of commands before the group that has just ended."""
        self.functions: dict[str, list[Definition]] = {}
        self.called: set[str] = set()
        self.active: list[str] = []
        self.locals: list[dict[str, _Variable]] = []
        """What the variables of each active call were before it."""
        self.bases: list[int] = []
        """The depth of branches and loops in which each call stands."""
        self.budget = _MOST_TOKENS
        self.background = 0
        self.lists = 0
        """Those in the background so far."""

    def read(self, tokens: Sequence[Token]) -> None:
        current: list[Token] = []
        after = ""
        known = definitions(tokens)
        numbers = backgrounds(tokens, known)
        outer, before = self.background, self.lists
        self.lists += max(numbers, default=0)
        end = 0
        for index, token in enumerate(tokens):
            if current:
                number = numbers[index - 1]
                self.background = before + number if number else outer
            if index in known:
                if current:
                    self._command(current, after, "")
                    current = []
                end = known[index].end
                self._define(known[index])
            if index < end:
                continue
            if not token.operator:
                current.append(token)
                continue
            if current:
                self._command(current, after, token.operator)
                current = []
                after = token.operator if token.operator in ("&&", "||", "|", "|&") else ""
            elif token.operator in ("\n", "&&", "||", "|"):
                continue
            else:
                after = ""
            self.closed = None
            self._subshell(token.operator)
            if len(self.script.commands) >= _MOST_COMMANDS:
                break
        self.background = outer
        if current:
            self._command(current, after, "")

    def _subshell(self, operator: str) -> None:
        if operator == "(":
            self._open("(")
            self.folders.append(self.folder)
        elif operator == ")":
            self._close(subshell=True)
            if self.folders:
                self.folder = self.folders.pop()

    def _command(self, tokens: list[Token], after: str, before: str) -> None:
        tokens = self._without_keywords(tokens)
        guarded = self._guarded(tokens, after)
        self.depth += guarded
        self._simple(tokens, after, before)
        self.depth -= guarded

    def _guarded(self, tokens: Sequence[Token], after: str) -> bool:
        """Whether assignments depend on a test: `[ -d F ] && A=1`, `[ -d F ] || A=1`."""
        last = self.script.commands[-1].name if self.script.commands else ""
        if after not in ("&&", "||") or (after == "&&" and last not in TESTS) or not tokens:
            return False
        return tokens[0].literal in _DECLARING or all(
            token.parts and _ASSIGNMENT.match(token.parts[0].text) for token in tokens
        )

    def _simple(self, tokens: list[Token], after: str, before: str) -> None:
        words: list[Word] = []
        own: list[Assignment] = []
        marked: list[tuple[Token, str, str]] = []
        outputs: list[Redirection] = []
        declaring = exported = local = False
        index = 0
        while index < len(tokens):
            token = tokens[index]
            index += 1
            if token.redirection:
                if index < len(tokens) and not tokens[index].redirection:
                    outputs.append(Redirection(token.redirection, self._joined(tokens[index])))
                    index += 1
                continue
            found = self._assignment(token) if not words or declaring else None
            if found is not None:
                name, value = found
                word = _word(value[:_LONGEST_VALUE], token)
                own.append(Assignment(name, word, exported, self.depth == 0))
                marked.append((token, name, value))
                if declaring:
                    self._save(name, local)
                    self._set(token, name, value)
                continue
            expanded = self._expanded(token)
            if not words and expanded and expanded[0].text in _DECLARING:
                declaring = True
                exported = expanded[0].text == "export"
                local = expanded[0].text in _LOCAL
            words += expanded
        if declaring or not words:
            self.script.assignments += own
            if not words:
                self._alone(marked, outputs)
            self._declared(words)
            return
        self.script.assignments += [replace(a, exported=True, for_one=True) for a in own]
        if words[0].text in self.functions and not words[0].dynamic:
            self._call(words, marked, outputs, after, before)
            return
        self.script.commands.append(
            Command(
                tuple(words),
                tuple(own),
                after,
                before,
                self.depth == 0,
                tuple(outputs),
                self.folder,
                self.background,
            )
        )
        if words[0].text in ("cd", "pushd", "popd"):
            self._change(words)
        self._read_by(words)

    def _read_by(self, words: Sequence[Word]) -> None:
        """Variables of `read`, `mapfile` and `printf -v` have unknown values after it.

        So have empty ones after `source`, whose file is not read: it is what sets them.
        """
        name, after = words[0].text, words[1:]
        if name == "printf" and after and after[0].text == "-v":
            after = after[1:2]
        elif name in _SOURCING:
            for empty in [one for one, value in self.values.items() if value == ""]:
                self.values[empty] = None
            return
        elif name not in READING:
            return
        for word in after:
            if word.dynamic or not _IDENTIFIER.fullmatch(word.text):
                continue
            before = [one for one in self.script.assignments if one.name == word.text]
            exported = any(one.exported and not one.for_one for one in before)
            value = replace(word, text=f"${{{word.text}}}", dynamic=True)
            self.script.assignments.append(Assignment(word.text, value, exported, self.depth == 0))
            self.arrays.pop(word.text, None)
            self.values[word.text] = None

    def _alone(
        self, marked: Sequence[tuple[Token, str, str]], outputs: Sequence[Redirection]
    ) -> None:
        """Assignments or redirections without a command."""
        start = self.closed
        inside = None if start is None else tuple(self.script.commands[start:])
        self.script.outputs += [GroupOutput(output, inside) for output in outputs]
        for token, name, value in marked:
            self._set(token, name, value)

    def _declared(self, words: Sequence[Word]) -> None:
        """`export NAME`, `local NAME`, `export -f NAME`."""
        names = [word.text for word in words[1:]]
        if any(re.fullmatch(r"-\w*f\w*", text) for text in names):
            self.called.update(names)  # by the shells that get them
        elif words and words[0].text == "export":
            self._export(words[1:])
        else:
            for name in names:
                self._save(name, words[0].text in _LOCAL)

    # -- functions ------------------------------------------------------------------------------

    def _define(self, found: Definition) -> None:
        """A function, which replaces one of the same name, unless branches define it."""
        before = self.functions.get(found.name, []) if self.depth else []
        self.functions[found.name] = [*before, found]

    def _call(
        self,
        words: Sequence[Word],
        own: Sequence[tuple[Token, str, str]],
        outputs: Sequence[Redirection],
        after: str,
        before: str,
    ) -> None:
        """Read the body of a function, with the arguments of this call."""
        name = words[0].text
        bodies = self.functions[name]
        self.called.add(name)
        self.budget -= sum(len(one.body) + 1 for one in bodies)
        if name in self.active or len(self.active) >= _DEEPEST or self.budget < 0:
            return
        start = len(self.script.commands)
        self.active.append(name)
        self.locals.append({})
        self.bases.append(self.depth)
        for token, variable, text in own:
            self._save(variable, True)
            self._set(token, variable, text)
        self._parameters(words[1:])
        depth, groups, folders = self.depth, self.groups, self.folders
        for one in bodies:
            self.depth, self.groups, self.folders = depth + (len(bodies) > 1), [], []
            self.read(one.body)
            self.depth, self.groups, self.folders = depth, groups, folders
            if one.redirections:
                self.closed = start
                self._command(list(one.redirections), "", "")
        for outside, (value, array) in self.locals.pop().items():
            self.values.pop(outside, None)
            self.arrays.pop(outside, None)
            self.values.update(value)
            self.arrays.update(array)
        self.active.pop()
        self.bases.pop()
        self._as_one(start, after, before)
        inside = tuple(self.script.commands[start:])
        self.script.outputs += [GroupOutput(output, inside) for output in outputs]

    def _parameters(self, words: Sequence[Word]) -> None:
        """`$1`, `$@`, `$#` of a call."""
        texts = [f"{_OPEN}{w.text}{_CLOSE}" if w.dynamic else w.text for w in words]
        tokens = tuple(
            Token(w.line, w.column, w.length, parts=(Part("quoted", text, quoted=True),))
            for w, text in zip(words, texts, strict=True)
        )
        for name in [*self.values, *self.arrays, *map(str, range(1, len(texts) + 1)), *"@*#"]:
            if _PARAMETER.fullmatch(name):
                self._save(name, True)
                self.values.pop(name, None)
                self.arrays.pop(name, None)
        self.values |= {str(place): text for place, text in enumerate(texts, 1)}
        self.values |= {"#": str(len(texts)), "@": " ".join(texts), "*": " ".join(texts)}
        self.arrays |= {"@": tokens, "*": tokens}

    def _save(self, name: str, local: bool) -> None:
        """Keep what a variable is outside the function that is called."""
        if local and self.locals:
            value = {name: self.values[name]} if name in self.values else {}
            array = {name: self.arrays[name]} if name in self.arrays else {}
            self.locals[-1].setdefault(name, (value, array))

    def _as_one(self, start: int, after: str, before: str) -> None:
        """The operators around a call are those of its first and last command.

        An `&` at the end of the body stays.
        """
        commands = self.script.commands
        if len(commands) > start:
            commands[start] = replace(commands[start], after=after)
            if commands[-1].before != "&":
                commands[-1] = replace(commands[-1], before=before)

    def rest(self, tokens: Sequence[Token]) -> None:
        """Read what the script names without a call of its own: handlers of `trap`, `$(name)`.

        What it exports is read where `bash -c` calls it.
        """
        known = definitions(tokens)
        places = mentions(tokens) if known else {}
        handed = _handed_over(self.script.commands)
        for one in known.values():
            if one.name in self.called or one.name in handed:
                continue
            if all(one.start <= at < one.end for at in places.get(one.name, ())):
                continue
            self.called.add(one.name)
            self.depth = 1
            self.read(one.body)
            self.depth, self.groups = 0, []

    def _change(self, words: Sequence[Word]) -> None:
        """Follow `cd FOLDER`; in a branch, or without a known folder, it is unknown after it."""
        stated = [word for word in words[1:] if word.text not in ("-P", "-L", "--")]
        if words[0].text == "popd" or self.depth or len(stated) > 1:
            self.folder = None
        else:
            path = stated[0].text if stated else "~"
            self.folder = None if path == "-" else joined(self.folder, path)

    def _export(self, words: Sequence[Word]) -> None:
        """`export NAME` of a variable that was set before."""
        for word in words:
            last = next(
                (a for a in reversed(self.script.assignments) if a.name == word.text), None
            )
            if last is not None and not last.exported:
                self.script.assignments.append(
                    Assignment(last.name, last.value, True, self.depth == 0)
                )

    def _without_keywords(self, tokens: list[Token]) -> list[Token]:
        while tokens:
            literal = tokens[0].literal
            if literal in OPENING or literal == "{":
                self._open(literal)
            elif literal in _CLOSING or literal == "}":
                self._close()
            if literal in OPENING:
                self.depth += 1
                if literal in ("for", "case", "select"):
                    if literal == "for" and len(tokens) > 1 and (name := tokens[1].literal):
                        self.values[name] = None
                    return []
            elif literal in _CLOSING:
                self.depth = max(0, self.depth - 1)
            elif literal not in _SKIPPED:
                break
            tokens = tokens[1:]
        return tokens

    def _open(self, sign: str) -> None:
        self.groups.append((sign, len(self.script.commands)))

    def _close(self, *, subshell: bool = False) -> None:
        """End the innermost group; `)` after a pattern of `case` ends none."""
        if self.groups and (self.groups[-1][0] == "(") == subshell:
            self.closed = self.groups.pop()[1]

    # -- variables ------------------------------------------------------------------------------

    def _assignment(self, token: Token) -> tuple[str, str] | None:
        """Name and value of `NAME=value`, the value with marks around what is not known."""
        if not token.parts or token.parts[0].kind != "plain":
            return None
        match = _ASSIGNMENT.match(token.parts[0].text)
        if match is None:
            return None
        rest = (Part("plain", token.parts[0].text[match.end() :]), *token.parts[1:])
        value = "".join(self._value(part) for part in rest)
        if match.group(2) and token.array is None:
            value = (self.values.get(match.group(1)) or "") + value
        return match.group(1), value

    def _set(self, token: Token, name: str, value: str) -> None:
        own = bool(self.locals) and name in self.locals[-1]
        certain = self.depth == (self.bases[-1] if own else 0)
        if token.array is not None:
            added = _ASSIGNMENT.match(token.parts[0].text)
            if not certain:
                self.arrays[name] = None
            elif added is not None and added.group(2):
                before = self.arrays.get(name, ())
                self.arrays[name] = None if before is None else (*before, *token.array)[:2000]
            else:
                self.arrays[name] = token.array
            return
        self.arrays.pop(name, None)
        self.values[name] = value[:_LONGEST_VALUE] if certain else None

    def _value(self, part: Part) -> str:
        """The text of a part, with marks if the file does not determine it."""
        if part.kind in ("plain", "quoted"):
            return part.text
        if part.kind == "dynamic":
            return self._arithmetic(part.text) or f"{_OPEN}{part.text}{_CLOSE}"
        known = self.values.get(part.text)
        if known is not None:
            return known
        if part.default is not None and part.text not in self.values:
            inner = lex(part.default).tokens
            return " ".join("".join(self._value(p) for p in token.parts) for token in inner)
        return f"{_OPEN}${{{part.text}}}{_CLOSE}"

    def _arithmetic(self, text: str) -> str | None:
        """The value of `$((A * B))` with whole numbers."""
        if not (text.startswith("$((") and text.endswith("))")):
            return None

        def number(match: re.Match[str]) -> str:
            return self.values.get(match.group(1)) or "?"

        body = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", number, text[3:-2])
        if not _ARITHMETIC.fullmatch(body) or "**" in body:
            return None
        return _evaluated(body)

    def _expanded(self, token: Token) -> list[Word]:
        """The words of a token: arrays and unquoted variables become several."""
        named = [part for part in token.parts if part.kind != "quoted" or part.text]
        if len(named) == 1 and named[0].kind == "variable" and named[0].text in self.arrays:
            name = named[0].text
            array = self.arrays.pop(name)
            try:
                if array is None:
                    return [_word(f"{_OPEN}${{{name}}}{_CLOSE}", token)]
                return [word for inner in array for word in self._expanded(inner)][:_MOST_WORDS]
            finally:
                self.arrays[name] = array
        texts: list[str] = [""]
        quoted = False
        for part in token.parts:
            text = self._value(part)
            quoted = quoted or part.quoted
            if part.kind == "variable" and not part.quoted:
                pieces = _PIECE.findall(text)
                texts[-1] += pieces[0] if pieces else ""
                texts += pieces[1:]
            else:
                texts[-1] += text
        if texts == [""] and not quoted:
            return []
        return [_word(text, token) for text in texts[:_MOST_WORDS]]

    def _joined(self, token: Token) -> Word:
        return _word("".join(self._value(part) for part in token.parts), token)


def _word(marked: str, token: Token) -> Word:
    """A word from a text with marks."""
    text = marked.replace(_OPEN, "").replace(_CLOSE, "")
    return Word(text, token.line, token.column, token.length, text != marked)


def _at(word: Word, place: Word) -> Word:
    """A word at the position of another."""
    return Word(word.text, place.line, place.column, place.length, word.dynamic)


def joined(folder: str | None, path: str) -> str | None:
    """A path seen from a folder; None if it is relative and the folder is not known."""
    if path.startswith(("/", "~", "$")):
        return path
    if folder is None:
        return None
    return posixpath.normpath(f"{folder}/{path}")


def _evaluated(body: str) -> str | None:
    """A sum or product of whole numbers, by Python's own grammar."""
    import ast

    try:
        tree = ast.parse(body.strip(), mode="eval").body
        return str(_number(tree))
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _number(node: object) -> int:
    import ast

    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp):
        left, right = _number(node.left), _number(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div | ast.FloorDiv):
            return left // right
    raise ValueError(node)


def nested(
    commands: Sequence[Command], variables: Mapping[str, str], functions: Functions
) -> Iterator[Command]:
    """The commands of `bash -c 'TEXT'` inside commands, with the position of the text."""
    for command in commands:
        word = shell_text(command.words)
        if word is None:
            continue
        inner = read_script(
            word.text,
            variables,
            word.line,
            word.column,
            folder=command.folder,
            functions=functions,
        )
        for found in inner.commands:
            around = [
                group.output
                for group in inner.outputs
                if any(one is found for one in group.commands or ())
            ]
            yield Command(
                tuple(_at(one, word) for one in found.words),
                found.environment,
                found.after,
                found.before,
                found.certain and command.certain,
                tuple(
                    Redirection(one.sign, _at(one.target, word))
                    for one in (*found.outputs, *around)
                ),
                found.folder,
                command.background,
            )


def shell_text(words: Sequence[Word]) -> Word | None:
    """The text of the first `bash -c TEXT` among the words of a command."""
    for index in range(len(words) - 2):
        shell = words[index].text.rpartition("/")[2]
        if shell in ("bash", "sh") and re.fullmatch(r"-[a-z]*c", words[index + 1].text):
            return words[index + 2]
    return None

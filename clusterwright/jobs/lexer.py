"""Words and operators of a shell script, with their positions.

Tolerant: what cannot be read (a quote or a here-document without an end) is listed in `unread`,
and the rest is read. Nothing is executed. Grammar: GNU Bash manual, "Shell Syntax" and "Quoting".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["plain", "quoted", "variable", "dynamic"]

_OPERATORS: Final = ("&&", "||", ";;", "|&", "\n", ";", "&", "|", "(", ")")
_REDIRECTION: Final = re.compile(r"(?:\d+|&)?(?:<<<|>>|>\||>&|<&|<>|>|<)(?![(])")
_HEREDOC: Final = re.compile(r"\d*<<(-?)(?!<)[ \t]*")
_NAME: Final = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_DEFAULT: Final = re.compile(r"([A-Za-z_]\w*|\d+)(?:\[[@*]\])?(?::?[-=](.*))?", re.DOTALL)
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_DEEPEST: Final = 40


@dataclass(frozen=True)
class Part:
    """A part of a word.

    Attributes
    ----------
    text:
        The characters; of a variable its name, of a dynamic part (`$(...)`) its text.
    quoted:
        Whether it is not split at spaces.
    default:
        Of `${NAME:-default}`.
    """

    kind: Kind
    text: str
    quoted: bool = False
    default: str | None = None


@dataclass(frozen=True)
class Token:
    """A word or an operator; `line` and `column` count from 1. `array` has the words of
    `NAME=(...)`; `redirection` is the operator of one, such as `2>`.
    """

    line: int
    column: int
    length: int
    operator: str = ""
    parts: tuple[Part, ...] = ()
    array: tuple[Token, ...] | None = None
    redirection: str = ""

    @property
    def literal(self) -> str | None:
        """The text of a word without quotes and variables, such as a keyword; else None."""
        if len(self.parts) == 1 and self.parts[0].kind == "plain":
            return self.parts[0].text
        return None


@dataclass(frozen=True)
class Unread:
    """What the reader could not read."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True)
class HereDocument:
    """The body of a here-document: its lines, and the line of its operator."""

    line: int
    lines: range


@dataclass
class Lexed:
    """Tokens in order, the bodies of here-documents, and what could not be read."""

    tokens: list[Token] = field(default_factory=list)
    here_documents: list[HereDocument] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)


def lex(text: str, line: int = 1, column: int = 1) -> Lexed:
    """Return the tokens of a script whose first character is at `line` and `column`."""
    return _Lexer(text, line, column).run()


class _Lexer:
    def __init__(self, text: str, line: int, column: int) -> None:
        self.text = text
        self.at = 0
        self.line = line
        self.start_of_line = 1 - column
        self.result = Lexed()
        self.pending: list[tuple[str, bool, int, int]] = []

    def run(self) -> Lexed:
        while self.at < len(self.text):
            self._token(self.result.tokens)
        for word, _, line, column in self.pending:
            self._unread(line, column, f"the here-document {word} has no end")
        return self.result

    # -- positions ------------------------------------------------------------------------------

    @property
    def column(self) -> int:
        return self.at - self.start_of_line + 1

    def _unread(self, line: int, column: int, reason: str) -> None:
        self.result.unread.append(Unread(line, column, reason))

    def _advance(self, count: int) -> str:
        taken = self.text[self.at : self.at + count]
        for index, character in enumerate(taken):
            if character == "\n":
                self.line += 1
                self.start_of_line = self.at + index + 1
        self.at += count
        return taken

    # -- tokens ---------------------------------------------------------------------------------

    def _token(self, tokens: list[Token]) -> None:
        text = self.text
        if text[self.at] in " \t\r":
            self.at += 1
        elif text.startswith("\\\n", self.at) or text.startswith("\\\r\n", self.at):
            self._advance(2 if text[self.at + 1] == "\n" else 3)
        elif text[self.at] == "#":
            end = text.find("\n", self.at)
            self.at = len(text) if end < 0 else end
        elif text[self.at] == "\n":
            tokens.append(Token(self.line, self.column, 1, "\n"))
            self._advance(1)
            self._heredocs()
        elif (match := _HEREDOC.match(text, self.at)) is not None:
            self._heredoc_word(match)
        elif (match := _REDIRECTION.match(text, self.at)) is not None:
            sign = match.group()
            tokens.append(Token(self.line, self.column, len(sign), redirection=sign))
            self.at = match.end()
        else:
            for operator in _OPERATORS:
                if text.startswith(operator, self.at):
                    tokens.append(Token(self.line, self.column, len(operator), operator))
                    self.at += len(operator)
                    return
            tokens.append(self._word())

    def _heredoc_word(self, match: re.Match[str]) -> None:
        line, column = self.line, self.column
        self.at = match.end()
        word = self._word()
        name = "".join(part.text for part in word.parts)
        self.pending.append((name, match.group(1) == "-", line, column))

    def _heredocs(self) -> None:
        """Skip the bodies of here-documents, which follow the line."""
        while self.pending:
            word, tabs, line, column = self.pending[0]
            end = self._end_of_heredoc(word, tabs=tabs)
            if end is None:
                self._unread(line, column, f"the here-document {word} has no end")
                self.pending.clear()
                self.at = len(self.text)
                return
            first = self.line
            self._advance(end - self.at)
            body = HereDocument(line, range(first, self.line))
            self.result.here_documents.append(body)
            self.pending.pop(0)

    def _end_of_heredoc(self, word: str, *, tabs: bool) -> int | None:
        """Where the line after the delimiter begins; None without a delimiter."""
        at = self.at
        while at < len(self.text):
            end = self.text.find("\n", at)
            end = len(self.text) if end < 0 else end
            body = self.text[at:end].rstrip("\r")
            if (body.lstrip("\t") if tabs else body) == word:
                return min(end + 1, len(self.text))
            at = end + 1
        return None

    def _word(self) -> Token:
        line, column, start = self.line, self.column, self.at
        parts: list[Part] = []
        plain = ""
        array: tuple[Token, ...] | None = None
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "(" and _ASSIGNED.fullmatch(plain) and not parts:
                array = self._array()
                break
            if character in " \t\r\n;&|()<>":
                break
            if character in "\"'`$\\":
                if plain:
                    parts.append(Part("plain", plain))
                    plain = ""
                parts += self._special(character)
                continue
            plain += character
            self.at += 1
        if plain:
            parts.append(Part("plain", plain))
        if self.at == start:  # a character that begins nothing, such as a lone `<`
            parts.append(Part("plain", self._advance(1)))
        length = self.at - start if self.line == line else max(1, self._width(start))
        return Token(line, column, max(1, length), parts=tuple(parts), array=array)

    def _width(self, start: int) -> int:
        """Characters up to the end of the line on which a word of several lines begins."""
        end = self.text.find("\n", start)
        return (len(self.text) if end < 0 else end) - start

    def _array(self) -> tuple[Token, ...]:
        line, column = self.line, self.column
        self._advance(1)
        tokens: list[Token] = []
        while self.at < len(self.text) and self.text[self.at] != ")":
            self._token(tokens)
        if self.at >= len(self.text):
            self._unread(line, column, "an array without a closing parenthesis")
        self._advance(1)
        return tuple(token for token in tokens if not token.operator and not token.redirection)

    # -- quoting and expansion ------------------------------------------------------------------

    def _special(self, character: str) -> list[Part]:
        if character == "\\":
            return self._escaped()
        if character == "'":
            return self._single(1)
        if character == '"':
            return self._double()
        if character == "`":
            return [self._backquoted(quoted=False)]
        return self._dollar(quoted=False)

    def _escaped(self) -> list[Part]:
        taken = self._advance(3 if self.text.startswith("\\\r\n", self.at) else 2)
        return [] if taken.endswith("\n") else [Part("quoted", taken[1:], quoted=True)]

    def _single(self, opening: int) -> list[Part]:
        line, column = self.line, self.column
        end = self.text.find("'", self.at + opening)
        if end < 0:
            self._unread(line, column, "a single quote without an end")
            end = len(self.text)
        body = self.text[self.at + opening : end]
        self._advance(end + 1 - self.at)
        return [Part("quoted", body, quoted=True)]

    def _double(self) -> list[Part]:
        line, column = self.line, self.column
        self.at += 1
        parts: list[Part] = []
        body = ""
        while self.at < len(self.text) and self.text[self.at] != '"':
            character = self.text[self.at]
            if character == "\\":
                taken = self._advance(2)
                if taken != "\\\n":
                    body += taken[1:] if taken[1:] in '$`"\\' else taken
            elif character in "$`":
                parts.append(Part("quoted", body, quoted=True))
                body = ""
                parts += (
                    [self._backquoted(quoted=True)]
                    if character == "`"
                    else self._dollar(quoted=True)
                )
            else:
                body += self._advance(1)
        if self.at >= len(self.text):
            self._unread(line, column, "a double quote without an end")
        self._advance(1)
        return [*parts, Part("quoted", body, quoted=True)]

    def _backquoted(self, *, quoted: bool) -> Part:
        line, column = self.line, self.column
        end = self.text.find("`", self.at + 1)
        if end < 0:
            self._unread(line, column, "a backquote without an end")
            end = len(self.text)
        return Part("dynamic", self._advance(end + 1 - self.at), quoted=quoted)

    def _dollar(self, *, quoted: bool) -> list[Part]:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "'" and not quoted:
            return self._single(2)
        if following == '"' and not quoted:
            self.at += 1
            return self._double()
        if following == "(":
            return [Part("dynamic", self._bracketed("(", ")"), quoted=quoted)]
        if following == "{":
            inside = self._bracketed("{", "}")[2:-1]
            match = _DEFAULT.fullmatch(inside)
            if match is None:
                return [Part("dynamic", "${" + inside + "}", quoted=quoted)]
            return [Part("variable", match.group(1), quoted=quoted, default=match.group(2))]
        name = _NAME.match(self.text, self.at + 1)
        if name is None:
            return [Part("plain" if not quoted else "quoted", self._advance(1), quoted=quoted)]
        self.at = name.end()
        return [Part("variable", name.group(), quoted=quoted)]

    def _bracketed(self, opening: str, closing: str) -> str:
        """The text from `$(` or `${` to its end; brackets in quotes are not counted."""
        line, column, start = self.line, self.column, self.at
        depth, at, quote = 0, self.at + 1, ""
        while at < len(self.text):
            character = self.text[at]
            if character == "\\" and quote != "'":
                at += 1
            elif quote:
                quote = "" if character == quote else quote
            elif character in "\"'":
                quote = character
            elif character == opening:
                depth += 1
            elif character == closing:
                depth -= 1
                if depth == 0:
                    return self._advance(at + 1 - start)
            at += 1
        self._unread(line, column, f"${opening} without an end")
        return self._advance(len(self.text) - start)

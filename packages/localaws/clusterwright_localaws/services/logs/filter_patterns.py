r"""Filter patterns that CloudWatch Logs refuses: terms, JSON in {} and columns in [].

https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html. The guide
requires quotation marks around terms with characters that are not alphanumeric; refused are those
of which users report it: `:` `,` `(` `[` `\` and the backtick.

* `Invalid character(s) in term '?'`:
  https://github.com/dougmoscrop/serverless-plugin-log-subscription/issues/47
* regular expressions with parentheses:
  https://github.com/ministryofjustice/modernisation-platform-environments/pull/5137
* a property without `$`: https://github.com/aws/aws-cdk/issues/15047
* a column whose conditions name several:
  https://github.com/awsdocs/amazon-cloudwatch-logs-user-guide/issues/21
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright_localaws.core.errors import AwsError

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_REGEX: Final = re.compile(r"%[^%]*%")
# A pattern of fields that begins with the one ends with the other.
_PAIRS: Final = {"{": "}", "[": "]"}
_NOT_IN_TERMS: Final = re.compile(r"[:,(\[\\`]")
# Outside the symbols and operators that the guide lists; white space is not examined.
_NOT_IN_REGEX: Final = re.compile(r"[()!]|[^\x00-\x7f]")
_TOKEN: Final = re.compile(
    r"\s*("
    r'"(?:[^"\\]|\\.)*"'
    r"|%[^%]*%"
    r"|&&|\|\||[()]|!=|<=|>=|[=<>]"
    r"|\$(?:\.?\[[^\]]*\]|[^\s()=!<>&|\"\[\]])*"
    r"|[^\s()=<>&|\"]+"
    r")"
)
_OPERATORS: Final = frozenset({"=", "!=", "<", ">", "<=", ">="})
_SIGNS: Final = _OPERATORS | {"&&", "||", "(", ")"}
_CONDITION: Final = re.compile(r"(?:^|&&|\|\||\()\s*([\w$.-]+)\s*(?:!=|<=|>=|[=<>])")
_DEEPEST: Final = 50
"""Parentheses inside each other that are examined."""


def check_pattern(pattern: str) -> None:
    """Refuse a filter pattern that is not in the documented grammar.

    Raises
    ------
    AwsError
        InvalidParameterException.
    """
    bare = pattern.strip()
    opening = bare[:1]
    if opening in _PAIRS:
        if len(bare) < 2 or not bare.endswith(_PAIRS[opening]):
            raise _invalid()
        inside = bare[1:-1]
        return _check_json(inside) if opening == "{" else _check_columns(inside)
    return _check_terms(bare)


def _check_terms(pattern: str) -> None:
    rest = _QUOTED.sub(" ", pattern)
    if '"' in rest:
        raise _invalid()
    for term in _REGEX.findall(rest):
        _refuse(_NOT_IN_REGEX.search(term))
    _refuse(_NOT_IN_TERMS.search(_REGEX.sub(" ", rest)))


def _check_columns(pattern: str) -> None:
    """Refuse a column with conditions of several names; case is ignored, as in the guide."""
    plain = _REGEX.sub('""', _QUOTED.sub('""', pattern))
    for column in plain.split(","):
        if len({name.lower() for name in _CONDITION.findall(column)}) > 1:
            raise _invalid()


def _check_json(pattern: str) -> None:
    tokens: list[str] = []
    position, end = 0, len(pattern.rstrip())
    while position < end:
        found = _TOKEN.match(pattern, position)
        if found is None:
            raise _invalid()
        tokens.append(found[1])
        position = found.end()
    depth = deepest = 0
    for part in tokens:
        depth += (part == "(") - (part == ")")
        deepest = max(deepest, depth)
    if tokens and deepest <= _DEEPEST and _Reader(tokens).either() < len(tokens):
        raise _invalid()


class _Reader:
    """Reads the tokens of a JSON pattern; each method returns the position that it got to."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0

    def either(self) -> int:
        """Read conditions with && and ||."""
        self._one()
        while self._next() in ("&&", "||"):
            self._position += 1
            self._one()
        return self._position

    def _one(self) -> None:
        if self._next() == "(":
            self._position += 1
            self.either()
            if self._take() != ")":
                raise _invalid()
            return
        if not self._take().startswith("$"):
            raise _invalid()
        sign = self._take()
        if sign.startswith('"'):
            # As users quote it about `$."detail-type"`.
            raise _bad_character('$."')
        if sign.upper() == "IS":
            if self._take().upper() not in ("NULL", "TRUE", "FALSE"):
                raise _invalid()
        elif sign.upper() == "NOT":
            if self._take().upper() != "EXISTS":
                raise _invalid()
        elif sign in _OPERATORS:
            self._value()
        else:
            raise _invalid()

    def _value(self) -> None:
        value = self._take()
        if value in _SIGNS or value == "":
            raise _invalid()
        if value.startswith("%"):
            _refuse(_NOT_IN_REGEX.search(value))
        # A value without quotation marks may have spaces here, of which the guide says nothing.
        while self._next() not in _SIGNS | {""}:
            self._position += 1

    def _next(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _take(self) -> str:
        found = self._next()
        self._position += 1
        return found


def _refuse(found: re.Match[str] | None) -> None:
    if found is not None:
        raise _bad_character("?" if ord(found[0]) > 127 else found[0])


def _bad_character(text: str) -> AwsError:
    return AwsError("InvalidParameterException", f"Invalid character(s) in term '{text}'")


def _invalid() -> AwsError:
    return AwsError("InvalidParameterException", "Invalid filter pattern")

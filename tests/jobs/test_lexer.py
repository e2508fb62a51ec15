"""Words and operators of shell scripts."""

from __future__ import annotations

import pytest

from clusterwright.jobs.lexer import lex


def texts(script: str) -> list[str]:
    """Operators, and words with their variables as `$NAME`."""
    return [
        token.operator
        or "".join(
            f"${part.text}" if part.kind == "variable" else part.text for part in token.parts
        )
        for token in lex(script).tokens
        if not token.redirection
    ]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a b # c d\n", ["a", "b", "\n"]),
        ("a#b 'c # d' \"e  f\"", ["a#b", "c # d", "e  f"]),
        ("a \\\n  b", ["a", "b"]),
        ('a\\ b "x\\"y\\z" $\'t\'', ["a b", 'x"y\\z', "t"]),
        ("a && b || c; d & e | f", ["a", "&&", "b", "||", "c", ";", "d", "&", "e", "|", "f"]),
        ("$A ${B} ${C:-d e} ${D[@]}", ["$A", "$B", "$C", "$D"]),
        ("$(a b; c) `d e` $((1 + 2))", ["$(a b; c)", "`d e`", "$((1 + 2))"]),
        ("cat <<EOF\nnot 'read\nEOF\nx", ["cat", "\n", "x"]),
        ("cat <<-'END'\n\ta\n\tEND\nx", ["cat", "\n", "x"]),
        ("a 2>&1 >b", ["a", "1", "b"]),
        ("cost is 5$ now", ["cost", "is", "5$", "now"]),
    ],
)
def test_words(script: str, expected: list[str]) -> None:
    assert texts(script) == expected


def test_positions() -> None:
    tokens = lex("a 'b c'\n  --d=$E\n", line=5, column=3).tokens
    assert [(t.line, t.column, t.length) for t in tokens if not t.operator] == [
        (5, 3, 1),
        (5, 5, 5),
        (6, 3, 6),
    ]


def test_array() -> None:
    (token,) = lex("A=( b # comment\n  'c d' $E )").tokens
    assert token.array is not None
    assert [part.text for inner in token.array for part in inner.parts] == ["b", "c d", "E"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'a", "single quote"),
        ('echo "a', "double quote"),
        ("echo `a", "backquote"),
        ("echo $(a", "$( without an end"),
        ("A=(a", "parenthesis"),
        ("cat <<X\na", "here-document X"),
        ("cat <<X", "here-document X"),
    ],
)
def test_what_has_no_end(script: str, reason: str) -> None:
    (unread,) = lex(script).unread
    assert reason in unread.reason
    assert unread.line == 1


def test_default_of_a_variable() -> None:
    (token,) = lex("${A:-b $C}").tokens
    assert (token.parts[0].text, token.parts[0].default) == ("A", "b $C")


def test_a_here_string_is_no_here_document() -> None:
    lexed = lex('read -r A <<< "$B"\nls\n')
    assert lexed.unread == []
    assert [token.literal for token in lexed.tokens if not token.operator][-1] == "ls"


def test_lines_of_here_documents() -> None:
    (found,) = lex("a\ncat <<EOF\nb\nc\nEOF\nd\n").here_documents
    assert (found.line, list(found.lines)) == (2, [3, 4, 5])

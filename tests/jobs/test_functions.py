"""Functions of shell scripts, and where they are called."""

from __future__ import annotations

import pytest

from clusterwright.jobs.functions import definitions, mentions
from clusterwright.jobs.lexer import lex
from clusterwright.jobs.shell import nested, read_script


def words(script: str) -> list[list[str]]:
    return [[w.text for w in c.words] for c in read_script(script, {}).commands]


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("f() { a; }", ["f"]),
        ("f () { g() { a; }; }\nfunction h { b; }\nfunction i() ( c )", ["f", "h", "i"]),
        ("if a; then f() { b; }; fi", ["f"]),
        ("echo f () { a; }", []),
        ("f() a", []),
        ("f() {", []),
        ("A=(b) { a; }", []),
    ],
)
def test_definitions(script: str, names: list[str]) -> None:
    assert [one.name for one in definitions(lex(script).tokens).values()] == names


def test_mentions() -> None:
    found = mentions(lex("trap f.x 1; A=($(f) ${B:-g}) # h\n").tokens)
    assert found.keys() >= {"f", "f.x", "g"}
    assert "h" not in found


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("f() { run $1 \"$@\" $#; }\nf a 'b c'", [["run", "a", "a", "b c", "2"]]),
        ("function f { run $X; }\nX=1; f\nX=2\nf", [["run", "1"], ["run", "2"]]),
        ("function f() ( cd /x && run )\nf", [["cd", "/x"], ["run"]]),
        ("f()\n{\n  g a; }\ng() { run $1; }\nf b", [["run", "a"]]),
        ("f() { local X=1 Y; Y=2; run $X $Y; }\nX=5\nf\nrun $X $Y", [
            ["run", "1", "2"], ["run", "5", "${Y}"]]),
        ("f() { X=1; }\nf\nrun $X", [["run", "1"]]),
        ("f() { run $A; }\nA=1 f\nrun $A", [["run", "1"], ["run", "${A}"]]),
        ("f() { run; }\nrun a", [["run", "a"]]),
        ("f() { run; f; }\nf", [["run"]]),
        ("if a; then f() { run 1; }; else f() { run 2; }; fi\nf", [
            ["a"], ["run", "1"], ["run", "2"]]),
        ("f() { run 1; }\nf() { run 2; }\nf", [["run", "2"]]),
        ("f() { if a; then { b; }; fi; for i in 1; do run }; done; }\nf", [
            ["a"], ["b"], ["run", "}"]]),
        ("f() { run $1; }\ntrap f TERM\nb", [["trap", "f", "TERM"], ["b"], ["run", "${1}"]]),
        ("f() { run; }\nX=$(f)\n", [["run"]]),
        ("f() { run; }\n# f is not called\nb", [["b"]]),
        ("f() { \"$@\"; }\nf srun -n1 x", [["srun", "-n1", "x"]]),
        ("f() { run ${1:-d} $2; }\nf", [["run", "d", "${2}"]]),
        ("f() {\nrun", [["f"], ["run"]]),
    ],
)  # fmt: skip
def test_functions_are_read_where_they_are_called(script: str, expected: list[list[str]]) -> None:
    assert words(script) == expected


def test_a_call_has_the_operators_and_redirections_of_its_command() -> None:
    script = read_script("f() { a; b; } 2> e\nx || f > log | tee t\n", {})
    assert [(c.name, c.after, c.before) for c in script.commands] == [
        ("x", "", "||"),
        ("a", "||", ";"),
        ("b", "", "|"),
        ("tee", "|", "\n"),
    ]
    assert [(g.output.target.text, len(g.commands or ())) for g in script.outputs] == [
        ("e", 2),
        ("log", 2),
    ]
    assert all(command.certain for command in script.commands)


def test_a_call_keeps_what_its_body_starts_in_the_background() -> None:
    script = read_script("f() { a; b & }\nf\nf && c\n", {})
    assert [c.before for c in script.commands] == [";", "&", ";", "&", "\n"]
    assert [c.background for c in script.commands] == [0, 1, 0, 2, 0]


def test_exported_functions_are_read_in_the_shell_that_calls_them() -> None:
    for give in ("export -f f\nsrun bash -c 'f 1'", 'srun bash -c "$(declare -f f); f 1"'):
        script = read_script(f"f() {{ run $1; }}\n{give}\n", {})
        assert not any(command.name == "run" for command in script.commands)
        found = list(nested(script.commands, {}, script.functions))
        assert ["run", "1"] in [[w.text for w in c.words] for c in found]


def test_calls_have_bounds() -> None:
    text = "".join(f"f{n}() {{ {f'f{n + 1};' * 50} }}\n" for n in range(30)) + "f0\n"
    assert len(words(text)) <= 5_000
    assert len(words("f() { " + "run;" * 2_000 + " }\n" + "f\n" * 50)) <= 5_000 + 2_000

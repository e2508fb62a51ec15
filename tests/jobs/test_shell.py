"""Commands and assignments of shell scripts."""

from __future__ import annotations

import pytest

from clusterwright.jobs.shell import nested, read_script


def words(script: str, **variables: str) -> list[list[str]]:
    return [[w.text for w in c.words] for c in read_script(script, variables).commands]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('A=8\nrun $A "$A" ${A}x', [["run", "8", "8", "8x"]]),
        ("A='b c'\nrun $A \"$A\"", [["run", "b", "c", "b c"]]),
        ("A=(1 '2 3')\nA+=(4)\nrun \"${A[@]}\" ${A[*]}", [["run", *["1", "2 3", "4"] * 2]]),
        ("A=$((2*N))\nrun $A $((A / 4)) $((A % 5))", [["run", "8", "2", "$((A % 5))"]]),
        ("run ${X:-/fsx/a} ${N:-9}", [["run", "/fsx/a", "4"]]),
        ('A="--x $(date) --y"\nrun $A', [["run", "--x", "$(date)", "--y"]]),
        ("if true; then A=1; fi\nrun $A", [["true"], ["run", "${A}"]]),
        ("for i in 1 2; do run $i; done", [["run", "${i}"]]),
        ("A=b C=d run\nrun $A", [["run"], ["run", "${A}"]]),
        ("A=a; A+=b; run $A", [["run", "ab"]]),
        ("A=(${A[@]})\nrun ${A[@]}", [["run", "${A}"]]),
        ("f() {\n  run a\n}\nf", [["run", "a"]]),
        ("! run a", [["run", "a"]]),
    ],
)
def test_expansion(script: str, expected: list[list[str]]) -> None:
    assert words(script, N="4") == expected


def test_what_the_file_does_not_determine_is_dynamic() -> None:
    (command,) = read_script("run a$B $(c) d", {}).commands
    assert [word.dynamic for word in command.words] == [False, True, True, False]


def test_assignments() -> None:
    script = read_script("A=1\nexport A B=2\nC=3 run\nif x; then export D=4; fi\n", {})
    found = [(a.name, a.value.text, a.exported, a.certain) for a in script.assignments]
    assert found == [
        ("A", "1", False, True),
        ("B", "2", True, True),
        ("A", "1", True, True),
        ("C", "3", True, True),
        ("D", "4", True, False),
    ]


def test_operators_between_commands() -> None:
    found = read_script("a | b && c\nd > log 2>&1 &\n", {}).commands
    assert [(c.name, c.after, c.before) for c in found] == [
        ("a", "", "|"),
        ("b", "|", "&&"),
        ("c", "&&", "\n"),
        ("d", "", "&"),
    ]


def test_nested_commands_have_the_position_of_their_text() -> None:
    script = read_script("srun bash -lc 'cd /x && run $N \\\n  b'\n", {})
    found = list(nested(script.commands, {"N": "4"}, script.functions))
    assert [[w.text for w in c.words] for c in found] == [["cd", "/x"], ["run", "4", "b"]]
    assert {(c.words[0].line, c.words[0].column) for c in found} == {(1, 15)}


def test_values_and_words_have_bounds() -> None:
    script = "A=" + "x" * 300 + "\n" + "A=$A$A\n" * 40 + "run $A\n"
    assert len(words(script)[0][1]) <= 20_000
    many = (
        "A=(1 2 3 4 5 6 7 8 9 10)\n"
        + "A=(${A[@]} ${A[@]})\nB=(${B[@]} 1)\n" * 20
        + "run ${A[@]}\n"
    )
    assert words(many)


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

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


@pytest.mark.parametrize(
    ("script", "lists"),
    [
        ("a & b & c", "a1 b2 c0"),
        ("a | b && c & d", "a1 b1 c1 d0"),
        ("a\nb &&\nc &", "a0 b1 c1"),
        ("(a; b) & c", "a1 b1 c0"),
        ("(a)\n(b) > f &\n", "a0 b1"),
        ("a; { b; c & d; } 2> f & e", "a0 b1 c2 d1 e0"),
        ("for i in 1 2; do a; b & done; c", "a0 b1 c0"),
        ("for i in 1 2; do a; done & b", "a1 b0"),
        ("while a; do if b; then c; fi & done", "a0 b1 c1"),
        ("case $x in (y|z) a & ;; w) b ;; esac; c", "a1 b0 c0"),
        ("case $x in y) a ;; esac & c", "a1 c0"),
        ("f() { a; b & (c; d) & }; f; e; f & e", "a0 b1 c2 d2 e0 a3 b4 c5 d5 e0"),
        ("function f { a; }\nf | b & f", "a1 b1 a0"),
        ("a > f 2>&1 & b &> f", "a1 b0"),
        ("} & fi & ) & a & ( b", "a1 b0"),
    ],
)
def test_lists_in_the_background(script: str, lists: str) -> None:
    found = [c for c in read_script(script, {}).commands if c.name in "abcde"]
    numbers: dict[int, int] = {0: 0}
    for command in found:
        numbers.setdefault(command.background, len(numbers))
    expected: dict[str, int] = {"0": 0}
    for one in lists.split():
        expected.setdefault(one[1:], len(expected))
    assert [(c.name, numbers[c.background]) for c in found] == [
        (one[0], expected[one[1:]]) for one in lists.split()
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
    "line", ["read -r A B", "IFS=: read A", "printf -v A %s b", "mapfile -t A", "readarray A"]
)
def test_what_commands_read_is_not_known(line: str) -> None:
    assert words(f"A=1\n{line} < f\nrun $A")[-1] == ["run", "${A}"]
    script = read_script(f"export A=1\n{line} < f\n", {})
    last = [one for one in script.assignments if one.name == "A"][-1]
    assert (last.value.dynamic, last.exported) == (True, True)


def test_a_sourced_file_may_set_what_is_empty() -> None:
    assert words("A=\nB=1\n. f\nrun x$A $B")[-1] == ["run", "x${A}", "1"]

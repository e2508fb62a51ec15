"""CW-J065: Scripts for sh use no syntax of Bash."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

SH = HEAD.replace("/bin/bash", "/bin/sh")


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("set -euo pipefail", "set -o pipefail"),
        ("if [[ -n $A ]]; then echo a; fi", "[[ ... ]]"),
        ("nodes=(a b)", "an array"),
        ('echo "a" ${nodes[0]}', "an array"),
        ("source /fsx/env", "source"),
        ("train &> log", "&>"),
        ("cat <<< a", "<<<"),
        ("diff <(a) <(b)", "a process substitution"),
        ("function run { a; }", "function"),
        ("echo ${A//a/b}", "a substitution in a variable"),
    ],
)
def test_syntax_of_bash(line: str, form: str) -> None:
    found = fails("CW-J065", SH + line + "\nsrun torchrun train.py\n")
    assert found.message.startswith(form)
    assert found.position is not None
    assert found.position.line == SH.count("\n") + 1
    passes("CW-J065", HEAD + line + "\nsrun torchrun train.py\n")


@pytest.mark.parametrize(
    "text",
    [
        "set -eu\nsrun torchrun train.py 2>&1",
        "# set -o pipefail\nsrun torchrun train.py",
        "echo '[[ a ]]' # [[ b ]]\nsrun torchrun train.py",
        "cat >a <<EOF\nset -o pipefail\nEOF\nsrun torchrun train.py",
        "A=$((1 + 2))\nsrun torchrun train.py",
    ],
)
def test_syntax_of_sh(text: str) -> None:
    passes("CW-J065", SH + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun bash -lc '\nsource /fsx/env\nif [[ a ]]; then b; fi\n'",
        'srun bash -lc "\nsource /fsx/env\n"',
        '[ -n "$BASH_VERSION" ] || exec /bin/bash "$0" "$@"\nset -o pipefail',
    ],
)
def test_what_bash_reads(text: str) -> None:
    passes("CW-J065", SH + text + "\nsrun torchrun train.py\n")

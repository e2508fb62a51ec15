"""Which program a command runs."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.commands import program_of


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("gizmo -x", "gizmo"),
        ("/opt/x/gizmo.sh run", "gizmo.sh"),
        ("sudo -u ubuntu bash ./x.sh", "x.sh"),
        ("sudo -nu ubuntu -g users -- ./x.sh", "x.sh"),
        ("sudo -uubuntu ./x.sh", "x.sh"),
        ("sudo --user ubuntu --preserve-env=A -E ./x.sh", "x.sh"),
        ("sudo --user=ubuntu -H -D /opt ./x.sh", "x.sh"),
        ("sudo -i", "sudo"),
        ("env -i -u HOME -C /opt A=1 B=2 ./x.sh", "x.sh"),
        ("env -S ./x.sh", "env"),
        ("A=1 timeout -k 5 -s KILL 1.5h ./x.sh", "x.sh"),
        ("timeout --signal KILL --preserve-status 60 sudo -u root nice -n 5 ./x.sh", "x.sh"),
        ("nice -10 ./x.sh", "x.sh"),
        ("time -f %e -o times ./x.sh", "x.sh"),
        ("exec -a name ./x.sh", "x.sh"),
        ("nohup ./x.sh", "x.sh"),
        ("bash -euo pipefail ./x.sh", "x.sh"),
        ("bash +x -O extglob --rcfile /etc/x ./x.sh", "x.sh"),
        ("bash -lc ./x.sh", "bash"),
        ("/bin/sh -c ./x.sh", "sh"),
        ("python3.11 -u -W ignore -X dev train.py", "train.py"),
        ("/usr/bin/python3 -um gizmo --all", "python3"),
        ("python -c pass", "python"),
        ("python -", "python"),
        ("env - A=1 ./x.sh", "x.sh"),
        ("sudo -u ubuntu", "sudo"),
        ("", ""),
    ],
)
def test_program_behind_others_is_found(command: str, program: str) -> None:
    assert program_of(command.split()) == program

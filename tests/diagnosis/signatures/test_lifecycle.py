"""Signatures of the family `lifecycle`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    (
        "log",
        "clusterwright: step lustre failed on workers-1: not done after 300 s: /x is absent. What to do: see",
        "deadline",
    ),
    ("log", "Could not get lock /var/lib/apt/lists/lock", "package-lock"),
    (
        "log",
        "bash: ./install: cannot execute binary file: Exec format error",
        "wrong-architecture",
    ),
    ("log", "sha256 mismatch of enroot.deb", "checksum"),
    (
        "log",
        "/var/tmp/x.sh: /bin/zsh: bad interpreter: No such file or directory",
        "bad-interpreter",
    ),
    ("log", "slurmd.service: Failed with result 'exit-code'.", "unit"),
    ("log", "slurmctld.service: Start request repeated too quickly.", "unit"),
    (
        "log",
        "util.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [2]",
        "user-data",
    ),
    ("log", "setup.sh: line 3: FOO: unbound variable", "script-command"),
    (
        "log",
        "Running module scripts-user (<module 'cloudinit.config.cc_scripts_user' from '/usr/lib/python3/cc_scripts_user.py'>) failed",
        "user-data-module",
    ),
    (
        "log",
        "modprobe: FATAL: Module efa not found in directory /lib/modules/6.1",
        "kernel-module",
    ),
    (
        "log",
        "systemd[1]: Failed to start nodeadm-config.service - EKS Nodeadm Config.",
        "unit",
    ),
    (
        "log",
        "warning: %post(efa-1.12.1-1.el8.x86_64) scriptlet failed, exit status 1",
        "package",
    ),
    ("log", "STDERR: sh: /opt/x/bin/aws: No such file or directory", "script-command"),
    ("log", "sagemaker-containers ERROR    ExecuteUserScriptError:", "training-script"),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)

"""Signatures of the family `pcs`, with messages as their sources write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import signature_of

CASES = (
    ("cluster", "SUSPENDED", "pcs-suspended"),
    ("node-group", "SUSPENDING", "pcs-suspended"),
    (
        "stack-event",
        "There can only be 1 cluster in a Creating state per AWS Region per AWS account.",
        "pcs-creating",
    ),
    (
        "stack-event",
        "The role arn:aws:iam::111122223333:role/nodes of the instance profile must have a name "
        "that starts with AWSPCS, or the path /aws-pcs/.",
        "pcs-role-name",
    ),
    ("log", "/opt/aws/pcs/bin/pcs_bootstrap_init.sh failed with exit code 1", "pcs-agent"),
    ("log", "/opt/aws/pcs/bin/pcs_bootstrap_finalize.sh: No such file or directory", "pcs-agent"),
    ("log", "needrestart: systemctl restart slurmd-25.11.service", "needrestart"),
    (
        "log",
        "systemd[1]: slurmd.service: Failed to set 'cpuset.cpus' attribute on "
        "'/system.slice/slurmd.service' to '': No space left on device",
        "pcs-prolog-lost",
    ),
    (
        "log",
        "slurmd: error: Waiting for JobId=7 REQUEST_LAUNCH_PROLOG notification failed, giving up "
        "after 420 sec",
        "pcs-prolog-lost",
    ),
    # Other statements about the same things.
    ("log", "pcs_bootstrap_init.sh: registered the node workers-1", "unknown"),
    ("log", "unit slurmd was SUSPENDED", "unknown"),
    (
        "node-group",
        "CREATE_FAILED: InsufficientInstanceCapacity: We currently do not have sufficient "
        "p5.48xlarge capacity in the Availability Zone you requested (us-east-1d).",
        "launch-template-capacity",
    ),
    (
        "log",
        "slurmd: error: Unable to register: Unable to contact slurm controller (connect failure)",
        "registration",
    ),
)


@pytest.mark.parametrize(("kind", "text", "signature"), CASES)
def test_message_has_its_signature(kind: str, text: str, signature: str) -> None:
    assert signature_of(kind, text) == (signature,)

"""Signatures of the family `command_lines`, in other words than the hold-out's."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, signature_of

CASES = (
    (
        'The Job "train" is invalid: spec.template.spec.restartPolicy: Required value: valid '
        'values: "OnFailure", "Never"',
        "object-invalid",
    ),
    (
        'Pod "a-worker-0" is invalid: spec.containers[0].resources.requests: Invalid value: "1": '
        "must be less than or equal to cpu limit",
        "object-invalid",
    ),
    ("train.py: error: the following arguments are required: --data", "command-line"),
    ("train.py: error: unrecognized arguments: --batch 8", "command-line"),
    ("train.py: error: argument --lr: expected one argument", "command-line"),
    ("train.py: error: ambiguous option: --num could match --num-a, --num-b", "command-line"),
    ("Error: No such option: --gpu", "command-line"),
    ("Error: Missing argument 'ENTRYPOINT...'.", "command-line"),
    ("Error: unknown flag: --replicas", "command-line"),
    ("Error: flag needs an argument: --file", "command-line"),
    ("error: unexpected argument '--foo' found", "command-line"),
    ("enroot: option requires an argument -- 'o'", "command-line"),
    (
        "error: error validating data: ValidationError(JobSet.spec): missing required field "
        '"replicatedJobs" in io.x-k8s.jobset.v1alpha2.JobSet.spec; if you choose to ignore',
        "manifest-fields",
    ),
    (
        "json: cannot unmarshal number into Go struct field EnvVar.env.value of type string",
        "manifest-fields",
    ),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


def test_local_rank_is_an_option_of_the_launcher() -> None:
    (found,) = findings(item("log", "train.py: error: unrecognized arguments: --local_rank=1"))
    assert "which torch.distributed.launch gives it" in found.cause


@pytest.mark.parametrize(
    "text",
    [
        "usage: train.py [-h] [--lr LR]",
        "argument --lr: 0.1",
        "unknown flags are passed on to the program",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)

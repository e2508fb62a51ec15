"""Kinds of failure by their words."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.wording import KINDS, kind_of

CASES = (
    ("tried to get 3 GiB: out of memory on CUDA device", "memory"),
    ("CUDA device 0: out of memory", "gpu-memory"),
    ("the pod was ended under memory pressure", "memory"),
    ('unified resource "memory.oom.group": controller "memory" not available', "cgroup"),
    ("write: no space left on device", "disk"),
    ("Couldn't determine user account information: unknown userid 551", "user"),
    ("sshd: invalid user ada from 10.0.0.1", "user"),
    (
        "objtool: cleanup_module(): Magic init_module() function name is deprecated",
        "kernel-module",
    ),
    ("Unsupported Resource Handler Runtime [go1.x]: Runtime is Deprecated", "runtime"),
    ("Must flatten tensors with uniform requires_grad when use_orig_params=False", "fsdp"),
    ("Key lr_mult not found in param_group", "optimizer"),
    ("loaded state has a parameter group of another size than the optimizer's group", "optimizer"),
    ("Not enough buffers 0 for swapping 1", "offload"),
    ("accept4: too many open files", "limit-of-files"),
    ("lookup api.example on 10.0.0.2:53: no such host", "name"),
    ("Cert secret is not well-formed, missing ca.crt", "certificate-file"),
    ("x509: certificate signed by unknown authority", "certificate"),
    ("the security token has expired", "credentials"),
    ("server returned status code 403", "denied"),
    ("the worker ended: runtime error: index 3", "crash"),
    ("open /fsx/a: no locks available", "locks"),
    ("stat /fsx/a: stale file handle", "file-system"),
    ("exec /opt/a: exec format error", "architecture"),
    ("open /fsx/a: file name too long", "path"),
    ("HTTP 429 from the registry", "rate"),
    ("InsufficientInstanceCapacity", "capacity"),
    ("VcpuLimitExceeded: you have asked for more", "quota"),
    ("2 of 8 workers were evicted", "evicted"),
    ("dial tcp 10.0.0.9:443: connect: connection refused", "refused"),
    ("cannot reach the metadata service", "unreachable"),
    ("read: connection reset by peer", "lost"),
    ("the collective hangs in rank 3", "hang"),
    ("context deadline exceeded", "time"),
    ("502 Bad Gateway", "server"),
    ("libfoo.so.1: cannot open shared object file", "library"),
    ("got an unexpected keyword argument 'fused'", "version"),
    ("parameters that were not used in producing loss", "gradients"),
    ("'weight' must be 2-D", "sharded"),
    ("disagreement between rank0 and rank1", "ranks-differ"),
    ("hidden size must be divisible by 8", "parallel"),
    ("data/0.tar: no gopen handler defined", "scheme"),
    ("File system scheme 's3' not implemented (file: 's3://b/a')", "scheme"),
    ("No connection adapters were found for 's3://bucket/a'", "scheme"),
    ("FlashAttention maximum version 2.5.8 is supported", "version"),
    ("Error retrieving credential from ECS", "credentials"),
    ("mat1 and mat2 shapes cannot be multiplied", "shape"),
    ("expected scalar type Half", "type"),
    ("no supported devices found", "no-device"),
    ("ptxas fatal : unresolved", "compilation"),
    ("path / is mounted private", "mount"),
    ("the tokenizer has no pad token", "token"),
    ("the safetensors header is short", "checkpoint"),
    ("unexpected end of the parquet page", "data"),
    ("the lock file is locked by 17", "in-use"),
    ("MASTER_ADDR is not set", "environment"),
    ("option -x is not recognized", "setting"),
    ("no instance types satisfy the requirements", "unsatisfied"),
    ("the object is awaiting reconciliation", "not-ready"),
    ("/opt/a does not exist", "missing"),
)


@pytest.mark.parametrize(("text", "kind"), CASES)
def test_message_is_of_its_kind(text: str, kind: str) -> None:
    found = kind_of(text)
    assert found is not None
    assert found.id == kind


def test_every_kind_has_a_message_here_and_an_id_of_its_own() -> None:
    assert {kind.id for kind in KINDS} == {kind for _, kind in CASES}
    assert len({kind.id for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("text", ["step 5 loss 2.1", "the frobnication of gizmo 7 was left"])
def test_other_words_are_of_no_kind(text: str) -> None:
    assert kind_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        'No handlers could be found for logger "root"',
        "mount: no file system found on /dev/nvme1n1",
        'Get "": unsupported protocol scheme ""',
        "No backend type associated with device type cpu",
    ],
)
def test_other_words_are_of_no_address(text: str) -> None:
    found = kind_of(text)
    assert found is None or found.id != "scheme"

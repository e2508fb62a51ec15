"""Errors of native libraries by their words."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis import native_errors
from tests.diagnosis.made import findings, of_log


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("initialization error: change root failed: no such file or directory", "driver's root"),
        ("requirement error: invalid expression: unknown", "NVIDIA_REQUIRE_"),
        ("device error: no-gpu-has-128MiB-to-run: unknown device", "NVIDIA_VISIBLE_DEVICES"),
        ("cgroup error: operation not permitted", "may not have the devices"),
        ("mount error: file creation failed: file exists", "mounted into the image"),
        ("detection error: something else", "given its GPUs: detection error"),
    ],
)
def test_error_of_the_container_hook_has_its_reason(reason: str, words: str) -> None:
    assert words in (native_errors.container_hook({"reason": reason}) or "")


def test_failure_of_the_driver_is_left_to_others() -> None:
    reason = "initialization error: nvml error: driver not loaded: unknown"
    assert native_errors.container_hook({"reason": reason}) is None


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("nvidia-fs.ko driver not loaded", "kernel module nvidia-fs"),
        ("NVMe Driver not registered with nvidia-fs!!!", "does not support it"),
        ("cuInit Failed, error CUDA_ERROR_NO_DEVICE", "CUDA finds no GPU"),
        ("Inc-bar-usage failed: size 524288000", "BAR1"),
        ("unable to load,  liburcu-bp.so.6", "library"),
        ("No matching pair for network device to closest GPU", "RDMA"),
    ],
)
def test_line_of_cufile_has_its_reason(reason: str, words: str) -> None:
    assert words in (native_errors.cufile({"reason": reason}) or "")


def test_line_of_cufile_without_a_reason_is_none() -> None:
    assert native_errors.cufile({"reason": "cuFile initialization failed"}) is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("AWS_ERROR_INVALID_ARGUMENT", "argument is not valid"),
        ("AWS_ERROR_S3_REQUEST_HAS_COMPLETED", "too many requests"),
        ("AWS_AUTH_CREDENTIALS_PROVIDER_IMDS_SOURCE_FAILURE", "credentials"),
        ("AWS_IO_DNS_INVALID_NAME", "resolved"),
        ("AWS_IO_TLS_ERROR_NEGOTIATION_FAILURE", "TLS"),
        ("AWS_IO_SOCKET_TIMEOUT", "in time"),
        ("AWS_IO_SOCKET_CLOSED", "connection"),
        ("AWS_ERROR_S3_CHECKSUM_MISMATCH", "not what was sent"),
        ("AWS_ERROR_OOM", "memory"),
    ],
)
def test_error_of_the_common_runtime_has_its_meaning(code: str, words: str) -> None:
    assert words in (native_errors.runtime({"code": code}) or "")


def test_unknown_error_of_the_common_runtime_is_none() -> None:
    assert native_errors.runtime({"code": "AWS_ERROR_FILE"}) is None


def test_assertion_names_the_library_of_its_source() -> None:
    of_efa = {"file": "prov/efa/src/rdm/efa_rdm_pke.c", "assertion": "next == NULL"}
    assert "provider of EFA: a check failed" in native_errors.assertion(of_efa)
    of_offload = {"file": "/x/ops/csrc/aio/py_lib/handle.cpp", "assertion": "nbytes() == bytes"}
    assert "offload to a local disk" in native_errors.assertion(of_offload)
    assert "full or failing disk" in native_errors.assertion(of_offload)
    of_program = {"file": "/src/mine.cc", "assertion": "x > 0"}
    assert native_errors.assertion(of_program).startswith("a program ended at a check")


@pytest.mark.parametrize(
    ("file", "function", "library"),
    [
        ("/x/latency.cc", "f", ""),
        ("/x/patents.cpp", "product_total", ""),
        ("tensorpipe/transport/shmem.cc", "f", ""),
        ("/home/slurm/mine.c", "main", ""),
        ("/x/storch.cc", "f", ""),
        ("transport/net_ib.cc", "f", "NCCL"),
        ("/x/mine.c", "uct_iface_open", "UCX"),
        ("src/slurmctld/job_mgr.c", "f", "Slurm"),
        ("/pytorch/torch/csrc/distributed/c10d/x.cpp", "f", "PyTorch"),
        ("/pytorch/c10/core/x.h", "f", "PyTorch"),
        ("/x/flash_attn/csrc/y.cpp", "f", "a CUDA extension"),
    ],
)
def test_library_of_an_assertion_is_a_whole_word(file: str, function: str, library: str) -> None:
    said = native_errors.assertion({"file": file, "function": function, "assertion": "x > 0"})
    assert said.startswith(f"{library or 'a program'}{':' if library else ' ended'} ")


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (
            "2024-05-05 10:00:00.123456: F external/xla/xla/service/gpu/nccl_utils.cc:100] Check "
            "failed: comm != nullptr",
            "XLA (JAX, TensorFlow): a check failed, so the program ended: comm != nullptr",
        ),
        (
            "2024-05-05 10:00:00.123456: F external/xla/xla/pjrt/client.cc:100] Check failed: ok",
            "XLA (JAX, TensorFlow): a check failed, so the program ended: ok",
        ),
        (
            "(pid=raylet, ip=172.31.14.65) F0505 18:21:58.604787  7485 node_manager.cc:3094]  "
            "Check failed: node_info no GCS info found",
            "Ray: a check failed, so the program ended: node_info no GCS info found",
        ),
        (
            "[2022-09-16 13:13:46,502 C 2116 2116] (raylet) node_manager.cc:999:  Check failed: x",
            "Ray: a check failed, so the program ended: x",
        ),
    ],
)
def test_checks_of_glog_and_abseil_are_assertions(line: str, cause: str) -> None:
    (found,) = findings(*of_log(line))
    assert found.cause == cause

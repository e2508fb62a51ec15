"""Signatures of the family `neuron`, with messages as the runtime and the compiler write them."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, item, of_log, signature_of

CASES = (
    (
        "ERROR  NMGR:kmgr_load_nn_post_metrics   Failed to load NN: /tmp/file.neff, err: 4",
        "neuron-load",
    ),
    ("modprobe: FATAL: Module neuron not found in directory /lib/modules/6.8.0", "neuron-driver"),
    ("ERROR  TDRV:tdrv_init_mla_phase1    Could not open the nd12", "neuron-device"),
    (
        "NRTD response code 'NERR_RESOURCE_NC' (9) There were insufficent NCs",
        "neuron-cores-in-use",
    ),
    (
        "ERROR  NRT:nrt_allocate_neuron_cores  NeuronCore(s) not available - Requested:nc1-nc1 "
        "Available:0",
        "neuron-cores-in-use",
    ),
    ("This runtime requires Neuron Driver version 2.0 or greater.", "neuron-driver-version"),
    ("Failed to initialize devices, error:5", "neuron-not-started"),
    (
        "Uncorrectable memory error is detected on Neuron device: 5:1 metadata: 0x2. Failing "
        "execution.",
        "neuron-memory-error",
    ),
    (
        "kernel: neuron:mc_alloc: device mempool [0:0] total 1073741568 occupied 960539030 needed "
        "1272 available 768",
        "neuron-memory",
    ),
    ("NCCL init error: Error opening libnccom.so, cannot use collectives!", "neuron-collectives"),
    ("OFI plugin initNet() failed is EFA enabled?", "neuron-efa"),
    ("NEFF version mismatch supported: 1.1 received: 2.0", "neuron-version"),
    ("Error notifications found on NC 0 INFER_ERROR_SUBTYPE_NUMERICAL", "neuron-numerical"),
    ("neuronx-cc compilation failed.", "neuron-compiler"),
    (
        "subprocess.CalledProcessError: Command '['neuronx-cc', 'compile', '/tmp/model.hlo']' "
        "returned non-zero exit status 70.",
        "neuron-compiler",
    ),
    ("ERROR  NMGR:kmgr_load_nn_internal  Failed to load: NRT_LOAD_NOT_ENOUGH_NC", "neuron-status"),
    (
        "2026-Jan-03 08:47:03.1 9:9 ERROR  TDRV:tdrv_x      frobnication of core 3 failed",
        "neuron-error",
    ),
    ("nrtd[1]: [TDRV:tdrv_x] Could not reserve core 3", "neuron-error"),
    ("[ND 3][NC 1] Uncorrectable HBM memory error is detected.", "neuron-memory-error"),
    ("INFO 13 [root]: Subcommand returned with exitcode=70", "neuron-compiler"),
    ("ERROR   NRT:nrt_init      Unable to read compatible Driver version.", "neuron-device"),
    ("ERROR   NRT:nrt_init      Please check /dev/neuron# is accessible.", "neuron-device"),
    ("nrtd[1]: [NMGR:kmgr_init_mlas] No devices specified", "neuron-device"),
)


@pytest.mark.parametrize(("text", "signature"), CASES)
def test_message_has_its_signature(text: str, signature: str) -> None:
    assert signature_of("log", text) == (signature,)


def test_killed_compiler_is_told_from_one_that_fails() -> None:
    (killed,) = findings(item("log", "RuntimeError: neuronx-cc failed with -9"))
    (failed,) = findings(item("log", "RuntimeError: neuronx-cc failed with 70"))
    assert "was killed" in killed.cause
    assert "was killed" not in failed.cause


@pytest.mark.parametrize(
    "text",
    [
        "driver: Failed to alloc device memory",
        "INFO ||NEURON_CC_WRAPPER||: Call compiler with cmd: neuronx-cc compile --target=trn1",
        "Compiler status PASS",
        "INFO   NRT:nrt_init    Found neuron driver: 2.18",
    ],
)
def test_normal_messages_have_no_signature(text: str) -> None:
    assert signature_of("log", text) == ("unknown",)


def test_resources_of_the_first_runtime_are_no_hardware_error() -> None:
    text = (
        "NRTD response code 'NERR_RESOURCE' (4) The runtime was unable to allocate a resource\n"
        "[TDRV:dmem_alloc] Failed to alloc DEVICE memory: 4194304"
    )
    (found,) = findings(*of_log(text))
    assert found.cause.startswith("Neuron: the device's memory is used up")


def test_component_of_the_runtime_says_what_was_being_done() -> None:
    (found,) = findings(*of_log("ERROR   ENC:init_gizmo    [nec_dev 8 ch 2] failed to reuse it"))
    assert found.cause.startswith("Neuron: the part of the runtime that runs collectives reports")


def test_wrapper_of_the_compiler_says_that_it_failed() -> None:
    text = (
        "2026-11-02 20:22:52.000307: INFO ||NCC_WRAPPER||: Compilation failed for /tmp/a.hlo.pb after 2 retries.\n"
        "2026-11-02 20:22:52.000307: INFO ||NCC_WRAPPER||: Compilation failed after reaching max retries.\n"
    )
    (found,) = findings(*of_log(text))
    assert found.cause.startswith("Neuron: the compiler (neuronx-cc) failed")
    assert findings(*of_log("20:19:29: INFO ||NCC_WRAPPER||: Compile cache path: /tmp/c")) == ()

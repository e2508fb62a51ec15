"""Messages of NCCL, of its plug-in for EFA and of libfabric by their part."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_network import (
    efa,
    is_advice,
    is_line,
    is_replaced,
    is_retried,
    nccl,
    ofi,
)
from tests.diagnosis.made import findings, of_log


@pytest.mark.parametrize(
    ("place", "message", "words"),
    [
        ("init.cc", "Mismatched NCCL version detected : rank 3", "different versions"),
        ("init.cc", "Detected mixed local Net device counts (min 3, max 4)", "number of network"),
        ("bootstrap.cc", "Bootstrap : no socket interface found", "does not exist on a node"),
        ("transport/net_ib/common.cc", "NET/IB : mlx5_0:1 async fatal event: x", "a failure"),
        ("mnnvl.cc", "MNNVL (cliqueSize 3) is available but not working", "IMEX"),
        ("transport/nvls.cc", "a group cannot be bound", "NVLink SHARP"),
        ("transport/coll_net.cc", "sizes differ", "CollNet"),
        ("graph/topo.cc", "Could not find id 3", "topology"),
        ("os/linux.cc", "Error: failed to extend /dev/shm/nccl-1 to 3 bytes", "--shm-size"),
        ("transport/p2p.cc", "failed to peer with device 3", "each other's memory"),
        ("misc/gdrwrap.cc", "failure 3", "gdrdrv"),
        ("misc/ibvwrap.cc", "Call to ibv_open_device failed", "/dev/infiniband"),
        ("transport/net_ib/p2p.cc", "NET/IB: Unknown completion", "RDMA transport"),
        ("misc/nvmlwrap.cc", "nvmlInit() failed: Driver Not Loaded", "NVML"),
        ("include/alloc.h", "Failed to CUDA malloc 3 bytes", "memory of the GPU or the host"),
        ("include/checks.h", "Cuda failure 'unknown'", "call of CUDA"),
        ("bootstrap.cc", "Bootstrap Root : rank 3 has checked in", "at the start"),
        ("misc/socket.cc", "ncclSocketInit: family 3 is odd", "connection of sockets"),
        ("plugin/net.cc", "no device code 3", "network plug-in"),
        ("proxy.cc", "Proxy append mismatch", "proxy thread"),
        ("misc/argcheck.cc", "AllReduce: count differs", "calls or settings"),
        ("group.cc", "Group 3 could not end", "failed within itself"),
    ],
)
def test_message_of_nccl(place: str, message: str, words: str) -> None:
    assert words in (nccl(message, place) or "")


def test_proxy_of_nccl_is_no_proxy_of_a_network() -> None:
    assert "cannot be reached" not in (nccl("Proxy append on running operation", "proxy.cc") or "")


def test_message_of_nccl_without_place_or_part_is_repeated() -> None:
    assert nccl("frob") == "NCCL: frob"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("No eligible providers were found", "no EFA interface"),
        ("Couldn't register memory region. RC: -12", "cannot be registered"),
        ("gdr_map failed: 3", "GDRCopy"),
        ("GDR disabled on this instance type", "GPUDirect RDMA"),
        ("Failed to write NCCL topology file", "plan of GPUs"),
        ("cuStreamCreate failed: 3", "CUDA"),
        ("Request 0x7f completed with error. RC: 21", "a transfer over EFA"),
        ("Couldn't open AV. RC: -22, ERROR: Invalid argument", "endpoints of EFA"),
        ("Failed to allocate schedule", "memory of the host"),
        ("Invalid listen communicator", "its settings"),
        ("odd", "within the plug-in"),
    ],
)
def test_message_of_the_plug_in(message: str, words: str) -> None:
    assert words in ofi(message)
    assert words in (nccl(f"NET/OFI {message}") or "")


@pytest.mark.parametrize(
    ("place", "message", "words"),
    [
        ("efa_ah_alloc", "ibv_create_ah failed! errno: 22", "the peer does not answer"),
        ("efa_rdm_cq_poll", "packet with invalid protocol version 3", "another version"),
        ("efa_mr_reg_impl", "Unable to register MR of 3 bytes", "cannot be registered"),
        ("efa_hmem_info_init", "foo requires p2p", "FI_HMEM"),
        ("efa_fork_support_init", "failed", "fork()"),
        ("efa_shm_info_create", "no provider", "/dev/shm"),
        ("efa_device_open", "failed", "/dev/infiniband"),
        ("efa_rdm_pke_x", "RX entries exhausted.", "is used up"),
        ("efa_rdm_pke_cmd", "failed to post the packet", "a transfer over EFA"),
        ("efa_av_insert", "insert raw_addr failed", "table of addresses"),
        ("efa_x", "FI_INJECT is not supported", "is not valid or not available"),
        ("x", "odd", "within the provider"),
    ],
)
def test_message_of_libfabric(place: str, message: str, words: str) -> None:
    assert words in efa(message, place)


def test_first_message_of_a_log_is_the_cause_and_the_others_follow() -> None:
    found = findings(
        *of_log(
            "ip-1:1:9 [0] graph/xml.cc:500 NCCL WARN Could not find a device\n"
            "ip-1:1:9 [0] proxy.cc:900 NCCL WARN Proxy append mismatch\n"
            "ip-1:1:9 [0] group.cc:90 NCCL WARN job 3 failed",
            job="7",
        )
    )
    assert [f.signature for f in found] == ["nccl-error"]
    assert "topology" in found[0].cause
    assert len(found[0].evidence) == 3


def test_words_of_nccl_are_no_health_check_of_hyperpod() -> None:
    line = "ip-1:1:9 [0] misc/argcheck.cc:162 NCCL WARN Coll registration check failed on rank 3"
    (found,) = findings(*of_log(line, job="7"))
    assert found.signature == "nccl-error"


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ("ip-1:1:9 [0] NCCL INFO odd", True),
        ("libfabric:1:2::core:core:x():3<warn> odd", True),
        ("all of NCCL is odd", False),
    ],
)
def test_lines_of_nccl_and_libfabric(line: str, own: bool) -> None:
    assert is_line(line) == own


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (
            "init.cc",
            "NUMA auto balancing enabled which can lead to variability in the NCCL performance! "
            'Disable by "sudo sysctl kernel.numa_balancing=0"',
        ),
        ("init.cc", 'Missing "iommu=pt" from kernel command line which can lead to hang!'),
        ("graph/xml.cc", "NCCL_TOPO_FILE is deprecated, ignoring it"),
        ("misc/socket.cc", "socketStartConnect: retrying the connection"),
        ("plugin/net.cc", "NET/Plugin: no plug-in, using internal network"),
    ],
)
def test_advice_of_nccl_is_no_failure(place: str, message: str) -> None:
    assert is_advice(message)
    assert nccl(message, place) is None
    line = f"ip-1:1:9 [0] {place}:100 NCCL WARN {message}"
    assert findings(*of_log(f"{line}\nTraining finished.", job="7")) == ()


def test_failure_with_words_of_advice_is_a_failure() -> None:
    assert not is_advice("Failed to use it, falling back is not possible: mismatch")


def test_message_of_nccl_that_says_no_failure_is_only_repeated() -> None:
    assert nccl("rank 3 is slow", "init.cc") == "NCCL: rank 3 is slow"


@pytest.mark.parametrize(
    "line",
    [
        "loading /fsx/efa_run/failures.json",
        "epoch 3 of efa_error_study finished",
        "saved /fsx/libfabric/failed.txt",
        "ip-1:1:9 [0] misc/socket.cc:9 NCCL WARN connect returned Connection refused, retrying",
        "libfabric:1:2::efa:ep_ctrl:efa_x():3<warn> FI_OPT_X failed to set, using default",
    ],
)
def test_paths_names_and_what_is_done_instead_are_no_failure(line: str) -> None:
    assert findings(*of_log(line, job="7")) == ()


def test_name_of_a_function_is_the_place_not_the_failure() -> None:
    line = "libfabric:1:2::efa:cq:efa_rdm_txe_handle_error():737<warn> err: 5, message: Invalid"
    (found,) = findings(*of_log(line, job="7"))
    assert "a transfer over EFA failed" in found.cause


def test_what_is_done_instead() -> None:
    assert is_replaced("It failed, falling back to sockets")
    assert not is_replaced("It failed")


@pytest.mark.parametrize(
    "answer", ["RC: -11", "RC: -4", "FI_EAGAIN", "Resource temporarily unavailable (-11)"]
)
def test_what_is_tried_again_is_no_failure(answer: str) -> None:
    assert is_retried(answer)
    line = f"ip-1:1:9 [0] post_recv:3 NCCL WARN NET/OFI posting failed. {answer}"
    assert findings(*of_log(line, job="7")) == ()


def test_causes_that_do_not_follow_from_each_other_are_both_reported() -> None:
    found = findings(
        *of_log(
            "ip-1:1:9 [0] misc/socket.cc:9 NCCL WARN connect to 10.0.0.2 returned an error\n"
            "ip-1:1:9 [0] misc/gdrwrap.cc:9 NCCL WARN failure 3\n"
            "ip-1:1:9 [0] group.cc:90 NCCL WARN job 3 failed",
            job="7",
        )
    )
    assert [f.signature for f in found] == ["nccl-error", "nccl-error"]

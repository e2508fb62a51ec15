"""Messages of Lustre's client and of LNet by their part."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_lustre import CLIENT, LNET, client, network
from tests.diagnosis.made import findings, of_log

CASES = (
    ("", "the server is not of a compatible version", "do not fit each other"),
    ("gss_keyring.c", "negotiation: rpc err 3", "security of requests"),
    ("osc_request.c", "BAD WRITE CHECKSUM: client and server differ", "a checksum"),
    ("", "An OST is performing recovery, please wait", "in recovery"),
    ("obd_config.c", "error invoking upcall /usr/sbin/lctl set_param", "lctl"),
    ("obd_mount.c", "No valid MGS NIDs found.", "cannot be mounted"),
    ("import.c", "can't use a closed import", "connection to a server"),
    ("ldlm_request.c", "ldlm_cli_cancel: 3", "LDLM"),
    ("lov_ea.c", "zero object id", "layout of files"),
    ("", "failed to allocate a page", "memory of the client"),
    ("mdc_request.c", "odd", "metadata"),
    ("osc_request.c", "odd", "storage target (OST)"),
    ("pack_generic.c", "incorrect magic: 1f", "damaged or not understood"),
)


@pytest.mark.parametrize(("place", "message", "words"), CASES)
def test_message_of_the_client(place: str, message: str, words: str) -> None:
    assert words in client(message, place)


def test_every_part_has_a_message_here_and_others_none() -> None:
    assert len(CASES) == len(CLIENT)
    assert client("odd", "", "access is denied") == (
        "Lustre: the client reports an error: access is denied: odd"
    )


@pytest.mark.parametrize(
    ("place", "message", "words"),
    [
        ("", "Can't allocate 3 descriptors", "memory of the node"),
        ("config.c", "Too many matched networks", "its configuration"),
        ("acceptor.c", "Refusing connection: No matching NI", "refuses or resets"),
        ("socklnd_cb.c", "Timeout receiving from 10.0.0.9@tcp", "does not answer"),
        ("o2iblnd.c", "ib_odd", "interface of RDMA or EFA"),
    ],
)
def test_message_of_lnet(place: str, message: str, words: str) -> None:
    assert words in network(message, place)


def test_message_of_lnet_without_a_part() -> None:
    assert len(LNET) == 5
    assert network("").endswith("or EFA not configured)")


def test_io_error_of_the_client_is_no_eviction() -> None:
    (found,) = findings(
        *of_log("LustreError: 12:0:(dir.c:2077:ll_dir_ioctl()) /fsx: wrong lum: rc = -5")
    )
    assert found.signature == "lustre-error"
    assert "evicted" not in found.cause
    assert "layout of files" in found.cause


def test_of_several_messages_the_first_is_the_cause() -> None:
    (found,) = findings(
        *of_log(
            "LustreError: 12:0:(import.c:707:ptlrpc_connect()) cannot connect: rc = -5\n"
            "LustreError: 12:0:(osc_request.c:700:osc_x()) odd: rc = -5"
        )
    )
    assert "connection to a server" in found.cause
    assert len(found.evidence) == 2

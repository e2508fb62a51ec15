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


@pytest.mark.parametrize(
    "harmless",
    [
        "(file.c:4577:ll_inode_revalidate_fini()) fs: revalidate FID [..] error: rc = -4",
        "(file.c:1:ll_x()) fs: wait interrupted: rc = -512",
        "11-0: fs-MDT0000-mdc-ff: operation mds_connect to node 10.0.0.1@tcp failed: rc = -11",
    ],
)
def test_interrupted_or_repeated_request_is_no_failure(harmless: str) -> None:
    line = f"LustreError: {harmless}" if harmless[0] == "1" else f"LustreError: 1:0:{harmless}"
    assert findings(*of_log(line)) == ()
    (found,) = findings(
        *of_log(
            f"{line}\n"
            "LustreError: 1:0:(obd_mount.c:1:lustre_fill_super()) Unable to mount: rc = -2"
        )
    )
    assert "cannot be mounted" in found.cause


@pytest.mark.parametrize(
    "line",
    [
        "LNet: Added LNI 10.0.0.1@tcp [8/256/0/180]",
        "LNet: 1:0:(x.c:1:y()) timeout lowered to 50 by default",
        "LNet: HW NUMA nodes: 2, HW CPU cores: 96, npartitions: 2; failover ready",
        "LNet: Accept secure, port 988, conn timeout 30",
        "Lustre: fs-MDT0000-mdc: Connection restored to service",
    ],
)
def test_settings_of_lnet_and_success_are_no_failure(line: str) -> None:
    assert findings(*of_log(line)) == ()


def test_path_of_a_user_does_not_decide() -> None:
    said = client("/fsx/mount_tests/unlock: cannot read dir: rc = -2", "llite_lib.c")
    assert "mounted" not in said


def test_mount_that_is_refused_for_a_while_is_a_failure() -> None:
    line = "LustreError: 1:0:(obd_mount.c:1:lustre_fill_super()) Unable to mount: rc = -11"
    assert [f.signature for f in findings(*of_log(line))] == ["lustre-error"]


@pytest.mark.parametrize(
    "later",
    [
        "(obd_mount.c:1:lustre_fill_super()) Unable to mount: rc = -2",
        "(osc_request.c:1:osc_x()) BAD WRITE CHECKSUM: client and server differ",
        "(import.c:707:ptlrpc_connect()) cannot connect: rc = -5",
    ],
)
def test_file_that_does_not_exist_hides_no_later_failure(later: str) -> None:
    first = "(file.c:4577:ll_inode_revalidate_fini()) fs: revalidate FID [..] error: rc = -2"
    found = findings(*of_log(f"LustreError: 12:0:{first}\nLustreError: 1:0:{later}"))
    assert [f.signature for f in found] == ["lustre-error", "lustre-error"]
    assert any(later.partition(" ")[2] in f.cause for f in found)


def test_of_several_messages_the_first_is_the_cause() -> None:
    (found,) = findings(
        *of_log(
            "LustreError: 12:0:(import.c:707:ptlrpc_connect()) cannot connect: rc = -5\n"
            "LustreError: 12:0:(osc_request.c:700:osc_x()) odd: rc = -5"
        )
    )
    assert "connection to a server" in found.cause
    assert len(found.evidence) == 2

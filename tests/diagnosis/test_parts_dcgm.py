"""Messages of DCGM by file of its source and status."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_dcgm import DCGM, STATUSES, start
from tests.diagnosis.made import findings, of_log

_LINE = "2026-02-16 08:59:03.773 ERROR [91:93] {} [/workspaces/a/{}:502] [f]"
CASES = (
    ("Got a Devastating XID", "dcgmlib/src/X.cpp", "fatal Xid"),
    ("a miscompare at 5", "nvvs/Memory.cpp", "wrong results"),
    ("nvmlInit_v2 said no", "dcgmlib/src/X.cpp", "GPUs cannot be read at its start"),
    ("it is gone", "common/transport/DcgmIpc.cpp", "do not reach each other"),
    ("cannot be read", "modules/nvswitch/DcgmNvSwitch.cpp", "NVSwitches or NVLinks"),
    ("cannot be read", "modules/profiling/A.cpp", "profiling module"),
    ("mpirun said no", "modules/mndiag/A.cpp", "several nodes"),
    ("it has no name", "nvvs/src/NvvsCommon.cpp", "a test of its diagnostic"),
    ("clock 7", "modules/config/DcgmConfigManager.cpp", "settings of GPUs"),
    ("watch 7", "modules/health/DcgmHealthWatch.cpp", "health or policy"),
    ("core 7", "modules/sysmon/DcgmSysmon.cpp", "processors"),
    ("it went on", "common/DcgmThread/DcgmThread.cpp", "process of it"),
    ("no domain", "modules/imex/DcgmImex.cpp", "IMEX"),
    ("no file", "dcgmlib/src/DcgmKmsgXid.cpp", "kernel's messages"),
    ("returned -8 for field 7", "dcgmlib/src/DcgmCacheManager.cpp", "NVML answered with an error"),
    ("group 7", "dcgmlib/src/DcgmHostEngineHandler.cpp", "could not be answered"),
)


@pytest.mark.parametrize(("message", "file", "words"), CASES)
def test_message_is_of_its_part(message: str, file: str, words: str) -> None:
    assert words in (DCGM.error(_LINE.format(message, file)) or "")


def test_every_part_has_a_message_here() -> None:
    said = [DCGM.error(_LINE.format(message, file)) or "" for message, file, _ in CASES]
    assert all(any(one.wrong in text for text in said) for one in DCGM.parts)
    assert DCGM.error("2026-02-16 08:59:03.773 INFO [91:93] a [a/b.cpp:5] [f]") is None


def test_machine_without_switches_is_healthy() -> None:
    line = (
        "2026-07-21 05:19:17.922 ERROR [8999:8999] [[NvSwitch]] Could not load NVSDM "
        "[./modules/nvswitch/DcgmNvsdmManager.cpp:974] [f]"
    )
    assert findings(*of_log(line)) == ()


def test_start_of_the_cache_explains_that_of_the_engine() -> None:
    text = (
        "CacheManager Init Failed. Error: -17\n"
        'time="2026-12-14T17:28:56Z" level=fatal msg="Error starting nv-hostengine: DCGM '
        'initialization error"'
    )
    (found,) = findings(*of_log(text))
    assert STATUSES[-17] in found.cause
    assert "GPUs cannot be read" in start({"status": "-999"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Feature not supported", "does not have the feature"),
        ("No permission", "it has no permission"),
        (
            "This request is serviced by a module of DCGM that is not currently loaded",
            "not loaded",
        ),
        (
            "The third-party Profiling module returned an unrecoverable error",
            "its profiling module",
        ),
        ("something else", "its profiling module"),
    ],
)
def test_fields_that_cannot_be_watched_have_the_reason_of_the_status(
    text: str, words: str
) -> None:
    line = f'time="2026-11-03T12:40:12Z" level=fatal msg="Error watching fields: {text}"'
    (found,) = findings(*of_log(line))
    assert found.signature == "dcgm-profiling"
    assert words in found.cause

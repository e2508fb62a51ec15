"""Daemons of a node by the words of their messages."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis import parts_daemons
from clusterwright.diagnosis.signatures.programs import KNOWN

CASES = (
    (
        "2026-11-30T12:36:38Z E! [inputs.nvidia_smi] Error in plugin: nvidia-smi binary not at "
        "path /usr/bin/nvidia-smi, cannot gather GPU data",
        "finds no nvidia-smi",
    ),
    (
        "2026-11-30T12:36:38Z E! [telegraf] Error running agent: Error parsing /etc/a.toml",
        "its configuration is not valid",
    ),
    (
        "2026-11-30T12:36:38Z E! [inputs.disk] Error in plugin: operation failed",
        "one of its plug-ins fails",
    ),
    (
        "2026-11-30T12:36:38Z E! WriteToCloudWatch failure, err: RequestError: send request failed",
        "cannot send to CloudWatch",
    ),
    (
        "munged[45712]: munged: Error: Logfile is insecure: world-writable permis"
        'sions without sticky bit set on "/"',
        "permissions or an owner",
    ),
    (
        'munged[1]: Error: Failed to find keyfile "/etc/munge/munge.key": No such'
        " file or directory",
        "its key",
    ),
    (
        "munged[1]: Error: Failed to lock socket: already running, pid 7",
        "another munged runs already",
    ),
    (
        "munged[1]: Error: unrecognized option",
        "option or a path",
    ),
    (
        "sssd[be[corp]][1]: Could not start TLS encryption. unknown error",
        "no encryption",
    ),
    (
        "[sssd[ldap_child[2211]]]: Failed to initialize credentials using keytab "
        "[MEMORY:/etc/krb5.keytab]: Preauthentication failed.",
        "cannot log in to the directory",
    ),
    (
        "sssd[1]: SSSD couldn't load the configuration database [2]: No such file or directory.",
        "sssd.conf",
    ),
    (
        "(Tue Jul  7 13:34:38 2020) [sssd[be[default]]] [sdap_id_op_connect_done]"
        " (0x0020): Failed to connect, going offline (5 [Input/output error])",
        "the directory is not reached",
    ),
    (
        "sssd[1123]: Exiting the SSSD. Could not restart critical service [corp].",
        "a process of SSSD",
    ),
    (
        "sssd_be[9]: [sysdb_init] (0x0010): Unable to open ldb cache",
        "its cache",
    ),
    (
        "chronyd[4470]: TLS handshake with 3.134.129.152:4460 failed : Error in t"
        "he certificate verification.",
        "certificate",
    ),
    (
        "chronyd[1]: Could not resolve NTP server a.example from sources.d",
        "name of a time server",
    ),
    (
        "chronyd[1]: Another chronyd may already be running (pid=7), check /run/c"
        "hrony/chronyd.pid",
        "another program sets the clock",
    ),
    (
        "chronyd[1]: adjtimex() failed : Operation not permitted",
        "CAP_SYS_TIME",
    ),
    (
        "chronyd[1]: Invalid directive at line 12 in file /etc/chrony.conf",
        "chrony.conf",
    ),
    (
        "chronyd[1]: Could not open PHC /dev/ptp0 : No such device",
        "PTP or RTC",
    ),
    (
        "2026-11-29 10:00:00 0 [ERROR] InnoDB: Unable to lock ./ibdata1 error: 11",
        "locked by another server",
    ),
    (
        "mysqld: Table './slurm_acct_db/prod_job_table' is marked as crashed and "
        "should be repaired",
        "is damaged",
    ),
    (
        "2025-10-22 14:38:56 0 [ERROR] Plugin 'InnoDB' registration as a STORAGE ENGINE failed.",
        "cannot be initialised",
    ),
    (
        "mariadbd: 2026-11-29 10:00:00 0 [ERROR] mariadbd: Disk full (x); waiting"
        " for someone to free some space...",
        "its disk is full",
    ),
    (
        "2026-11-29 10:00:00 0 [ERROR] mariadbd: Error on write: Errcode: 13",
        "may not open its files",
    ),
    (
        "2026-11-29 10:00:00 0 [ERROR] mariadbd: unknown variable 'x=1'",
        "an option is not valid",
    ),
)


@pytest.mark.parametrize(("line", "words"), CASES)
def test_message_is_of_its_part(line: str, words: str) -> None:
    assert words in (KNOWN.error(line) or "")


def test_every_part_has_a_message_here() -> None:
    said = [KNOWN.error(line) or "" for line, _ in CASES]
    for program in parts_daemons.PROGRAMS:
        for part in program.parts:
            assert any(f"{program.name}: {part.wrong}" in one for one in said), part.wrong

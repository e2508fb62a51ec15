"""Failures of pip, uv and npm are explained with a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.setup import command
from tools.setup.command import explain, run
from tools.setup.errors import SetupError

# Shortened from real runs, with the hosts taken out.
_PIP_OFFLINE = """\
WARNING: Retrying (Retry(total=0, connect=None, read=None)) after connection broken by \
'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed to establish \
a new connection: [Errno -3] Temporary failure in name resolution')': /simple/uv/
ERROR: Could not find a version that satisfies the requirement uv==0.13.8 (from versions: none)
ERROR: No matching distribution found for uv==0.13.8
"""
_UV_OFFLINE = """\
error: Request failed after 3 retries in 4.1s
  cause: client error (Connect)
  cause: dns error
  cause: failed to lookup address information: Temporary failure in name resolution
"""
_NPM_OFFLINE = """\
npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error errno EAI_AGAIN
"""
_UV_HASH = """\
error: Failed to download `flask==3.1.3`
  cause: Hash mismatch for `flask==3.1.3`
"""
_NPM_HASH = """\
npm error code EINTEGRITY
npm error Integrity checksum failed when using sha512: wanted sha512-AA but got sha512-K3
"""
_NPM_LOCK = """\
npm error code EUSAGE
npm error
npm error `npm ci` can only install packages when package.json and package-lock.json are in sync.
"""
_PIP_LACKS = """\
ERROR: Could not find a version that satisfies the requirement uv==0.13.8 (from versions: 0.1.0)
ERROR: No matching distribution found for uv==0.13.8
"""
_PIP_CERTIFICATE = """\
Could not fetch URL: SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))
ERROR: No matching distribution found for uv==0.13.8
"""


@pytest.fixture(autouse=True)
def _log_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "ROOT", tmp_path)


@pytest.mark.parametrize(
    ("output", "message", "hint"),
    [
        (_PIP_OFFLINE, "the package index could not be reached", "HTTPS_PROXY"),
        (_UV_OFFLINE, "the package index could not be reached", "PIP_INDEX_URL"),
        (_NPM_OFFLINE, "the package index could not be reached", "NPM_CONFIG_REGISTRY"),
        (_UV_HASH, "is not the one that was pinned", "uv cache clean"),
        (_NPM_HASH, "is not the one that was pinned", "npm cache clean"),
        (_NPM_LOCK, "package.json and package-lock.json do not agree", "git checkout"),
        (_PIP_LACKS, "has no pinned package", "PIP_INDEX_URL"),
        (_PIP_CERTIFICATE, "certificate is not trusted", "PIP_CERT"),
        ("OSError: [Errno 28] No space left on device\n", "the disk is full", "free some space"),
        ("mkdir: Permission denied\n", "could not be written", "writable"),
    ],
)
def test_known_cause_is_named_with_a_remedy(output: str, message: str, hint: str) -> None:
    error = explain("installing", ["tool"], 1, output)
    assert error.message.startswith("installing: ")
    assert message in error.message
    assert hint in error.hint


def test_unknown_cause_shows_the_last_lines_and_the_path_of_the_log(tmp_path: Path) -> None:
    output = "\n".join(f"line {number}" for number in range(100))
    error = explain("installing", ["/somewhere/tool", "--option"], 7, output)
    assert error.message == "installing: `tool` exited with 7"
    assert "  line 99\n" in error.detail
    assert "line 12" not in error.detail
    assert (
        (tmp_path / ".clusterwright" / "setup.log")
        .read_text()
        .startswith("$ /somewhere/tool --option\nline 0\n")
    )


def test_missing_program_is_reported() -> None:
    with pytest.raises(SetupError, match="could not be started"):
        run(["/nowhere/at/all"], doing="installing", cwd=Path("/"))


def test_python_settings_of_the_caller_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("VIRTUAL_ENV", "/another")
    printed = run(["env"], doing="looking", cwd=Path("/"))
    assert "PYTHONPATH" not in printed
    assert "VIRTUAL_ENV=" not in printed

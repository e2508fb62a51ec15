"""Runs one command of a step and explains its failure in one sentence."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.setup.errors import SetupError
from tools.setup.paths import BIN, ROOT

_AGAIN = "then run `make setup` again: finished steps are kept"
_SHOWN_LINES = 12

# Patterns in the output of pip, uv, npm and apt, with the cause and the remedy. First match wins.
_CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        r"No space left on device|ENOSPC",
        "the disk is full",
        f"free some space (the environment needs about 1.5 GB), {_AGAIN}",
    ),
    (
        r"Permission denied|EACCES|Read-only file system|EROFS",
        "a file or folder could not be written",
        f"make the checkout and the caches in your home folder writable, {_AGAIN}",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate|SELF_SIGNED_CERT|UnknownIssuer"
        r"|UNABLE_TO_(VERIFY|GET_ISSUER)",
        "the package index's certificate is not trusted here",
        "name your organisation's certificate file in PIP_CERT (for npm: NODE_EXTRA_CA_CERTS), "
        + _AGAIN,
    ),
    (
        r"(?i)hash mismatch|do not match the hashes|EINTEGRITY|integrity checksum failed",
        "a downloaded package is not the one that was pinned (its hash differs)",
        "do not use it: check the mirror or proxy that served it, or clear its cache "
        f"(`uv cache clean`, `npm cache clean --force`), {_AGAIN}",
    ),
    (
        r"(?i)can only install (packages )?(with|when).*package-lock|EUSAGE|are in sync",
        "tools/*/package.json and package-lock.json do not agree",
        "`git checkout -- tools` restores both; after an intended change run `make lock`",
    ),
    (
        r"(?i)ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH"
        r"|NewConnectionError|network is unreachable|temporary failure in name resolution"
        r"|temporary failure resolving|dns error|failed to lookup address|tcp connect error"
        r"|client error \(connect\)|connection (refused|reset|timed out)|timed out|ENOTCACHED"
        r"|proxyerror|tunnel",
        "the package index could not be reached",
        "check the network and HTTPS_PROXY, or name a mirror in PIP_INDEX_URL "
        f"(for npm: NPM_CONFIG_REGISTRY), {_AGAIN}",
    ),
    (
        r"(?i)no matching distribution|not found in the (package )?(registry|index)"
        r"|no solution found|E404|ETARGET|no compatible version|unsatisfiable"
        r"|HTTP status client error|has no wheels with a matching",
        "the package index in use has no pinned package for this platform",
        "use an index that does (PIP_INDEX_URL; for npm: NPM_CONFIG_REGISTRY), "
        f"or a 64-bit Linux or macOS, {_AGAIN}",
    ),
)


def run(
    command: Sequence[str | Path],
    *,
    doing: str,
    environment: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
) -> str:
    """Run `command` without a terminal and return what it printed.

    Raises SetupError with the cause, as far as the output shows it, when it exits non-zero.
    """
    words = [str(word) for word in command]
    try:
        finished = subprocess.run(
            words,
            cwd=cwd,
            env=clean_environment() | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise SetupError(
            f"{doing}: `{words[0]}` could not be started ({error.strerror})",
            "`make clean` and `make setup` rebuild the environment",
        ) from None
    if finished.returncode != 0:
        raise explain(doing, words, finished.returncode, finished.stdout)
    return finished.stdout


def explain(doing: str, words: Sequence[str], code: int, output: str) -> SetupError:
    """Return the error that explains why a command failed, from its output."""
    log = _keep(words, output)
    lines = output.strip().splitlines()
    for pattern, message, hint in _CAUSES:
        for number, line in enumerate(lines):
            if re.search(pattern, line):
                excerpt = lines[max(0, number - 2) : number + _SHOWN_LINES - 2]
                return SetupError(f"{doing}: {message}", hint, _detail(excerpt, log))
    return SetupError(
        f"{doing}: `{Path(words[0]).name}` exited with {code}",
        f"correct what it reports, {_AGAIN}",
        _detail(lines[-_SHOWN_LINES:], log),
    )


def _detail(lines: Sequence[str], log: Path) -> str:
    shown = "".join(f"  {line}\n" for line in lines)
    return f"\n{shown}\n  complete output: {log.relative_to(ROOT)}"


def clean_environment() -> dict[str, str]:
    """Return the caller's environment without variables that would redirect Python or uv."""
    environment = dict(os.environ)
    for name in (
        "PYTHONPATH",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "UV_PROJECT_ENVIRONMENT",
    ):
        environment.pop(name, None)
    environment["PATH"] = f"{BIN}{os.pathsep}{environment.get('PATH', os.defpath)}"
    return environment


def _keep(words: Sequence[str], output: str) -> Path:
    log = ROOT / ".clusterwright" / "setup.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text(f"$ {' '.join(words)}\n{output}")
    return log

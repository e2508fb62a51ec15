"""Which package index this machine uses: pip's configuration, said in uv's words.

pip is what organisations configure (a mirror, a certificate, a folder of wheels); uv does not read
pip's files, so without this a machine behind a mirror would install with pip and fail with uv.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.setup.command import run

# pip reads them in this order, the later over the earlier.
_SECTIONS = ("global", "install", ":env:")

_OLD_NAMES = {
    "UV_INDEX_URL": "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL": "UV_INDEX",
    "UV_NATIVE_TLS": "UV_SYSTEM_CERTS",
}


@dataclass(frozen=True)
class UvIndex:
    """How uv is told about the index: variables, and options that have no variable."""

    environment: dict[str, str]
    options: tuple[str, ...]


def uv_index(python: Path, environment: Mapping[str, str]) -> UvIndex:
    """What pip is configured with, for uv; what the user set for uv itself is kept."""
    listing = run([python, "-m", "pip", "config", "list"], doing="reading pip's configuration")
    found = translate(parse(listing))
    own = {_OLD_NAMES.get(name, name) for name in environment}
    kept = {name: value for name, value in found.environment.items() if name not in own}
    return UvIndex(kept, found.options)


def parse(listing: str) -> dict[str, str]:
    """Settings from `pip config list`, each with the value that pip itself would use."""
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listing.splitlines():
        name, separator, quoted = line.partition("=")
        section, _, key = name.partition(".")
        if separator and section in found:
            found[section][key] = _unquote(quoted)
    return {key: value for section in _SECTIONS for key, value in found[section].items()}


def translate(settings: Mapping[str, str]) -> UvIndex:
    """pip's settings in uv's words.

    With several indexes pip takes the best version of all of them; uv would stop at the first
    index that knows the name. Every package is pinned by hash, so taking the best is safe here.
    """
    variables: dict[str, str] = {"UV_SYSTEM_CERTS": "true"}
    if index := settings.get("index-url"):
        variables["UV_DEFAULT_INDEX"] = index
    if extra := settings.get("extra-index-url", "").split():
        variables["UV_INDEX"] = " ".join(extra)
        variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    if links := settings.get("find-links", "").split():
        variables["UV_FIND_LINKS"] = ",".join(links)
    if certificate := settings.get("cert"):
        variables["SSL_CERT_FILE"] = certificate
    if hosts := settings.get("trusted-host", "").split():
        variables["UV_INSECURE_HOST"] = " ".join(hosts)
    if proxy := settings.get("proxy"):
        variables["HTTPS_PROXY"] = variables["HTTP_PROXY"] = proxy
    if timeout := settings.get("timeout", settings.get("default-timeout")):
        variables["UV_HTTP_TIMEOUT"] = timeout
    no_index = settings.get("no-index", "").lower() in {"1", "true", "yes", "on"}
    return UvIndex(variables, ("--no-index",) if no_index else ())


def _unquote(text: str) -> str:
    # pip prints Python's repr of the value, always one quoted string.
    words = shlex.split(text.replace("\\n", " "))
    return " ".join(words)

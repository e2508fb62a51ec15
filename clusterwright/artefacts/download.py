"""Download of a file, verified with the list."""

from __future__ import annotations

import glob
import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from clusterwright.artefacts.lock import Artefact

TIMEOUT_SECONDS: Final = 30
LARGEST_BYTES: Final = 8 * 1024**3
_CHUNK: Final = 1024 * 1024

Open = Callable[[str], AbstractContextManager[IO[bytes]]]
"""Open a URL for reading; raises OSError."""


class DownloadError(Exception):
    """The file could not be downloaded, or does not match the list."""


class WrongFileError(DownloadError):
    """The file at the source does not match the list."""


@dataclass(frozen=True)
class Downloaded:
    """A local file with its checksum and size."""

    path: Path
    sha256: str
    size_bytes: int


def download(artefact: Artefact, folder: Path, open_url: Open | None = None) -> Downloaded:
    """Download the file to `folder`, unless it is already there and matches the list.

    Raises
    ------
    DownloadError
        It cannot be downloaded; no file remains.
    WrongFileError
        Its size or checksum differs from the list; no file remains.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{artefact.sha256 or 'unpinned'}-{artefact.file_name}"
    if artefact.sha256 is not None and target.is_file():
        found = _read(target)
        if found.sha256 == artefact.sha256:
            return found
    _remove_abandoned(target)
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        sha256, size = _bring(artefact, fresh, open_url or _open)
        if artefact.sha256 is not None and sha256 != artefact.sha256:
            raise WrongFileError(
                f"{artefact.label}: {artefact.url} has SHA-256 {sha256}, expected "
                f"{artefact.sha256}"
            )
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return Downloaded(target, sha256, size)


def _remove_abandoned(target: Path) -> None:
    """Remove parts of the file that processes have left which were killed."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*"):
        number = part.suffix.removeprefix(".")
        if number.isdecimal() and not _is_running(int(number)):
            part.unlink(missing_ok=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _bring(artefact: Artefact, target: Path, open_url: Open) -> tuple[str, int]:
    sum_, size = hashlib.sha256(), 0
    limit = LARGEST_BYTES if artefact.size_bytes is None else artefact.size_bytes
    try:
        with open_url(artefact.url) as reading, target.open("wb") as writing:
            while chunk := reading.read(_CHUNK):
                size += len(chunk)
                if size > limit:
                    raise WrongFileError(
                        f"{artefact.label}: {artefact.url} is larger than {limit:,} bytes"
                    )
                sum_.update(chunk)
                writing.write(chunk)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(f"{artefact.label}: {artefact.url}: {reason}") from error
    if artefact.size_bytes is not None and size != artefact.size_bytes:
        raise WrongFileError(
            f"{artefact.label}: {artefact.url} has {size:,} bytes, expected "
            f"{artefact.size_bytes:,}"
        )
    return sum_.hexdigest(), size


def _read(path: Path) -> Downloaded:
    sum_ = hashlib.sha256()
    with path.open("rb") as reading:
        while chunk := reading.read(_CHUNK):
            sum_.update(chunk)
    return Downloaded(path, sum_.hexdigest(), path.stat().st_size)


class _OnlyHttps(urllib.request.HTTPRedirectHandler):
    """Follow redirects of release pages, but only to HTTPS, where the file cannot be altered in
    transit.
    """

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if not newurl.startswith("https://"):
            raise urllib.error.URLError(
                f"redirected to {newurl.split(':', 1)[0]}, which is not https"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(url: str) -> AbstractContextManager[IO[bytes]]:
    opener = urllib.request.build_opener(_OnlyHttps())
    request = urllib.request.Request(url, headers={"User-Agent": "clusterwright"})  # noqa: S310
    found: AbstractContextManager[IO[bytes]] = opener.open(request, timeout=TIMEOUT_SECONDS)
    return found

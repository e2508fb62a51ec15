"""Downloads and their verification."""

from __future__ import annotations

import hashlib
import io
import urllib.error
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest

from clusterwright.artefacts.download import (
    DownloadError,
    WrongFileError,
    _OnlyHttps,
    download,
)
from clusterwright.artefacts.lock import Artefact

SHA256 = hashlib.sha256(b"content").hexdigest()
URL = "https://example.com/enroot.deb"
LISTED = Artefact("enroot", "3.5.0", "x86_64", URL, SHA256, 7, "releases", ("containers",))
UNPINNED = replace(LISTED, sha256=None, size_bytes=None)


def opens(content: bytes | Exception) -> Callable[[str], IO[bytes]]:
    def open_url(url: str) -> IO[bytes]:
        assert url == URL
        if isinstance(content, Exception):
            raise content
        return io.BytesIO(content)

    return open_url


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("artefact", "name"),
    [(LISTED, f"{SHA256}-enroot.deb"), (UNPINNED, "unpinned-enroot.deb")],
)
def test_a_file_is_downloaded(tmp_path: Path, artefact: Artefact, name: str) -> None:
    found = download(artefact, tmp_path / "new", opens(b"content"))
    assert (found.sha256, found.size_bytes) == (SHA256, 7)
    assert found.path.read_bytes() == b"content"
    assert names(tmp_path / "new") == [name]


def test_a_file_that_is_there_is_not_downloaded_again(tmp_path: Path) -> None:
    first = download(LISTED, tmp_path, opens(b"content"))
    assert download(LISTED, tmp_path, opens(OSError("not asked"))) == first
    first.path.write_bytes(b"damaged")
    assert download(LISTED, tmp_path, opens(b"content")).sha256 == SHA256


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"CONTENT", f"expected {SHA256}"),
        (b"short", "has 5 bytes, expected 7"),
        (b"much longer", "is larger than 7 bytes"),
    ],
)
def test_another_file_is_not_kept(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(WrongFileError, match=message):
        download(LISTED, tmp_path, opens(content))
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError("no route"), "no route"),
        (urllib.error.URLError("refused"), "refused"),
        (ValueError("unknown url type"), "unknown url type"),
    ],
)
def test_a_source_that_does_not_answer(tmp_path: Path, error: Exception, reason: str) -> None:
    with pytest.raises(DownloadError) as caught:
        download(LISTED, tmp_path, opens(error))
    assert str(caught.value) == f"{LISTED.label}: {URL}: {reason}"
    assert not isinstance(caught.value, WrongFileError)
    assert names(tmp_path) == []


def test_a_redirect_stays_with_https() -> None:
    handler = _OnlyHttps()
    request = urllib.request.Request(URL)
    arguments: tuple[Any, ...] = (request, None, 302, "found", {})
    followed = handler.redirect_request(*arguments, "https://cdn.example.com/a")
    assert followed is not None
    assert followed.full_url == "https://cdn.example.com/a"
    with pytest.raises(urllib.error.URLError):
        handler.redirect_request(*arguments, "http://example.com/a")

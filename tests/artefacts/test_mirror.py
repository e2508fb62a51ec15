"""Downloads that are compared with the list, and uploads to the bucket of the nodes."""

from __future__ import annotations

import hashlib
import io
import urllib.error
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

import pytest

from clusterwright.artefacts import Artefact
from clusterwright.artefacts.download import (
    DownloadError,
    WrongFileError,
    _OnlyHttps,
    download,
)
from clusterwright.artefacts.mirror import mirror

CONTENT = b"the file" * 1000
SHA = hashlib.sha256(CONTENT).hexdigest()
URL = "https://example.com/enroot.deb"
KNOWN = Artefact("enroot", "1", "any", URL, SHA, len(CONTENT), "s", ("containers",))
UNKNOWN = Artefact("enroot", "1", "any", URL, None, None, "s", ("containers",))


class Source:
    """A web site with one file."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.asked = 0

    def __call__(self, url: str) -> AbstractContextManager[IO[bytes]]:
        assert url == URL
        self.asked += 1
        return nullcontext(io.BytesIO(self.content))


class Bucket:
    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def has(self, key: str, size_bytes: int) -> bool:
        return key in self.objects and len(self.objects[key]) == size_bytes

    def put(self, key: str, path: Path, sha256: str) -> None:
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() == sha256
        self.objects[key] = content


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_file_is_downloaded_once(tmp_path: Path) -> None:
    source = Source()
    for _ in range(2):
        found = download(KNOWN, tmp_path, source)
        assert (found.sha256, found.size_bytes) == (SHA, len(CONTENT))
        assert found.path.read_bytes() == CONTENT
    assert source.asked == 1
    found.path.write_bytes(b"altered")
    assert download(KNOWN, tmp_path, source).path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONTENT[:-1] + b"x", "has SHA-256"),
        (CONTENT[:-1], "bytes, expected"),
        (CONTENT + b"x", "is larger than"),
    ],
)
def test_different_file_is_refused_and_removed(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(WrongFileError, match=said):
        download(KNOWN, tmp_path, Source(content))
    assert left(tmp_path) == []


def test_unreachable_source_is_reported(tmp_path: Path) -> None:
    def unreachable(url: str) -> AbstractContextManager[IO[bytes]]:
        raise urllib.error.URLError("no route to host")

    with pytest.raises(DownloadError, match=r"enroot 1 \(any\): https.*: no route to host"):
        download(KNOWN, tmp_path, unreachable)
    assert left(tmp_path) == []


def test_redirect_to_an_insecure_url_is_refused() -> None:
    import urllib.request

    handler = _OnlyHttps()
    request = urllib.request.Request(URL)
    with pytest.raises(urllib.error.URLError, match="not https"):
        handler.redirect_request(request, None, 302, "", {}, "http://example.com/enroot.deb")
    onward = handler.redirect_request(request, None, 302, "", {}, "https://cdn.example.com/x")
    assert onward is not None
    assert onward.full_url == "https://cdn.example.com/x"


def test_mirrored_file_is_not_downloaded_again(tmp_path: Path) -> None:
    bucket, source = Bucket(), Source()
    for expected in ("mirrored", "present"):
        (outcome,) = mirror([KNOWN], bucket, tmp_path, open_url=source)
        assert (outcome.status, outcome.key) == (expected, f"artefacts/{SHA}/enroot.deb")
    assert source.asked == 1
    assert bucket.objects == {f"artefacts/{SHA}/enroot.deb": CONTENT}


def test_an_unknown_checksum_is_refused_until_it_is_pinned(tmp_path: Path) -> None:
    bucket, source = Bucket(), Source()
    (outcome,) = mirror([UNKNOWN], bucket, tmp_path, open_url=source)
    assert (outcome.status, outcome.reason) == ("refused", "its checksum is unknown")
    assert (source.asked, bucket.objects) == (0, {})
    (outcome,) = mirror([UNKNOWN], bucket, tmp_path, pin=True, open_url=source)
    assert outcome.status == "pinned"
    assert (outcome.artefact.sha256, outcome.artefact.size_bytes) == (SHA, len(CONTENT))
    assert bucket.objects == {f"artefacts/{SHA}/enroot.deb": CONTENT}


def test_failed_file_does_not_stop_the_next(tmp_path: Path) -> None:
    wrong = Artefact("other", "1", "any", URL, "b" * 64, len(CONTENT), "s", ("containers",))
    bucket = Bucket()
    outcomes = list(mirror([wrong, KNOWN], bucket, tmp_path, open_url=Source()))
    assert [outcome.status for outcome in outcomes] == ["wrong", "mirrored"]
    assert list(bucket.objects) == [f"artefacts/{SHA}/enroot.deb"]

"""Checksums of artefacts, read from their sources."""

from __future__ import annotations

import hashlib
import io
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

from clusterwright.artefacts.lock import Artefact
from clusterwright.artefacts.pin import pin

CONTENT = b"a package"
SHA = hashlib.sha256(CONTENT).hexdigest()


def artefact(sha256: str | None, size_bytes: int | None = None, name: str = "enroot") -> Artefact:
    url = f"https://example.com/{name}.deb"
    return Artefact(name, "1", "any", url, sha256, size_bytes, "the release page", ("containers",))


def source(url: str) -> Any:
    if "missing" in url:
        raise OSError("HTTP Error 404: Not Found")
    found: nullcontext[IO[bytes]] = nullcontext(io.BytesIO(CONTENT))
    return found


def test_each_artefact_has_an_outcome_and_failures_do_not_stop_the_next(tmp_path: Path) -> None:
    listed = (
        artefact(None, name="missing"),
        artefact("b" * 64, len(CONTENT), name="changed"),
        artefact(SHA, len(CONTENT), name="known"),
        artefact(None),
    )
    failed, wrong, verified, fresh = pin(listed, tmp_path, open_url=source)
    assert (failed.status, failed.artefact) == ("failed", listed[0])
    assert failed.reason is not None
    assert "404" in failed.reason
    assert (wrong.status, wrong.artefact) == ("wrong", listed[1])
    assert wrong.reason is not None
    assert f"has SHA-256 {SHA}, expected {'b' * 64}" in wrong.reason
    assert (verified.status, verified.artefact) == ("verified", listed[2])
    assert fresh.status == "pinned"
    assert (fresh.artefact.sha256, fresh.artefact.size_bytes) == (SHA, len(CONTENT))

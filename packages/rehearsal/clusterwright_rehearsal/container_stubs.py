"""Stubs of Enroot and Pyxis as artefacts, with a lock file of their checksums.

The real artefacts come from the public internet, and users must determine their checksums. The
stubs have the same formats (a Debian package, and a source archive that is compiled on the node),
so that the whole path is rehearsed: mirrored to the bucket, downloaded, verified, installed, used
by a job. Their sources are in `nodes/image/root/usr/lib/emulation/containers`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clusterwright.artefacts.lock import Artefact, pinned, write_lock
from clusterwright.artefacts.selection import CONTAINERS
from clusterwright_rehearsal.nodes.images import RECIPE

SOURCES = RECIPE / "root/usr/lib/emulation/containers"
VERSION = "0-standin"
_URL = "https://stub.invalid/"
_SOURCE = "made by the rehearsal"
_CONTROL = f"""Package: enroot
Version: {VERSION}
Architecture: all
Maintainer: the rehearsal <nobody@stub.invalid>
Depends: bash, squashfs-tools
Description: stub of Enroot
 Created by the rehearsal; it only unpacks images.
"""
_CONFIGURATION = "# enroot.conf of a stub; the node program adds the settings.\n"


@dataclass(frozen=True)
class ContainerStubs:
    """The lock file, and a cache folder in the layout of `artefacts mirror` with the files."""

    lock: Path
    cache: Path


def create(folder: Path) -> ContainerStubs:
    """Write lock file and artefacts below `folder`; the contents are reproducible."""
    lock, cache = folder / "artefacts.json", folder / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    listed = []
    for name, file_name, content in (
        ("enroot", f"enroot_{VERSION}_all.deb", _package()),
        ("pyxis", f"pyxis-{VERSION}.tar.gz", _source()),
    ):
        sha256 = hashlib.sha256(content).hexdigest()
        artefact = Artefact(
            name, VERSION, "any", _URL + file_name, None, None, _SOURCE, (CONTAINERS,)
        )
        listed.append(pinned(artefact, sha256, len(content)))
        (cache / f"{sha256}-{file_name}").write_bytes(content)
    write_lock(lock, listed)
    return ContainerStubs(lock, cache)


def _package() -> bytes:
    """A Debian package (deb(5)): an ar archive of two tar archives."""
    data = _tar(
        {
            "./usr/bin/enroot": (SOURCES / "enroot").read_bytes(),
            "./etc/enroot/enroot.conf": _CONFIGURATION.encode(),
        },
        executable={"./usr/bin/enroot"},
    )
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": _tar({"./control": _CONTROL.encode()}),
        "data.tar.gz": data,
    }
    found = [b"!<arch>\n"]
    for name, content in members.items():
        # ar(5): name, time, owner, group, mode, size, and the end marker.
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        found += [head.encode(), content, b"\n" if len(content) % 2 else b""]
    return b"".join(found)


def _source() -> bytes:
    names = ("Makefile", "spank_pyxis.c")
    top = f"pyxis-{VERSION}"
    return _tar({f"{top}/{name}": (SOURCES / name).read_bytes() for name in names})


def _tar(files: Mapping[str, bytes], executable: frozenset[str] | set[str] = frozenset()) -> bytes:
    """A compressed archive of files with reproducible contents."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files.items():
            folders = [part for part in Path(name).parents if str(part) not in (".", "")]
            for folder in reversed(folders):
                path = f"./{folder}" if name.startswith("./") else str(folder)
                if path not in archive.getnames():
                    entry = tarfile.TarInfo(path)
                    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(entry)
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if name in executable else 0o644
            archive.addfile(entry, io.BytesIO(content))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as writing:
        writing.write(plain.getvalue())
    return packed.getvalue()

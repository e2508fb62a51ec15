"""Node images: a Debian suite with Slurm, laid out like HyperPod's image.

An image is a folder, built once by mmdebstrap and stored under a digest of its recipe: everything
in `image/`, the suite and the processor architecture. A changed recipe is a new image; the two
newest images of a suite are kept. A build runs in a temporary folder that is renamed at the end,
so that an image is either complete or absent. Scenarios can need more Debian packages; an image
with them is another one, so that other rehearsals do not download them.

The Debian mirror is `CLUSTERWRIGHT_DEBIAN_MIRROR`, else the one of this host's apt settings; it is
not part of the digest, because all mirrors have the same packages.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.locks import exclusive
from clusterwright_rehearsal.progress import Progress, heartbeat

RECIPE = Path(__file__).parent / "image"
MIRROR_VARIABLE = "CLUSTERWRIGHT_DEBIAN_MIRROR"
DEFAULT_SUITE = "trixie"
SLURM = {"trixie": "24.11", "forky": "26.05"}
"""The version of Slurm of each suite, the older first (on 2026-11-20)."""
SUITES = tuple(SLURM)
_WITH_SECURITY = frozenset({"bookworm", "trixie"})
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_APT = Path("/etc/apt")
_KEPT = 2
_DNS = "nameserver 127.0.0.1\n"


@dataclass(frozen=True)
class Image:
    """A complete image. `root` must not be modified."""

    suite: str
    digest: str
    root: Path
    built_s: float | None
    """Duration of the build; None if the image was in the cache."""


def image(
    cache: Path,
    suite: str = DEFAULT_SUITE,
    progress: Progress | None = None,
    more: Sequence[str] = (),
) -> Image:
    """The image of a suite, from the cache or newly built.

    `more` are Debian packages beyond those of the recipe. Of two concurrent callers the second
    waits for the image of the first.

    Raises
    ------
    RehearsalError
        mmdebstrap, the keyring or a mirror is missing, or the build failed; the message ends with
        the last lines of mmdebstrap.
    """
    if suite not in SUITES:
        raise RehearsalError(
            f"there is no recipe for Debian {suite!r}", f"choose one of {', '.join(SUITES)}"
        )
    progress = progress or (lambda _: None)
    digest = recipe_digest(suite, more=more)
    prefix = f"with-packages-{suite}" if more else suite
    name = f"{prefix}-{digest[:16]}"
    root = cache / "images" / name
    if (root / ".complete").exists():
        _touch(root)
        return Image(suite, digest, root, None)
    with exclusive(
        cache / "images" / f"{name}.lock", wait=lambda: progress("waiting for another build")
    ):
        if (root / ".complete").exists():
            return Image(suite, digest, root, None)
        started = time.monotonic()
        progress("building the node image, once: this takes some minutes")
        _build(cache / "images", name, suite, progress, more)
        _delete_old(cache / "images", prefix)
        return Image(suite, digest, root, time.monotonic() - started)


def with_newer_slurm(cache: Path, suite: str, progress: Progress | None = None) -> dict[str, Path]:
    """The images of the suites with a newer Slurm than that of `suite`, by Slurm's version.

    Raises
    ------
    RehearsalError
        As `image`, or the suite has another version of Slurm by now.
    """
    found = {}
    for one in SUITES[SUITES.index(suite) + 1 :]:
        root = image(cache, one, progress).root
        slurm = slurm_of(root) or "no Slurm"
        if not slurm.partition(" ")[2].startswith(f"{SLURM[one]}."):
            raise RehearsalError(f"Debian {one} has {slurm}, not Slurm {SLURM[one]}")
        found[SLURM[one]] = root
    return found


def slurm_of(root: Path) -> str | None:
    """Name and version of an image's Slurm (`slurm-wlm 24.11.5`); None if it does not say."""
    words = ["chroot", str(root), "/usr/sbin/slurmctld", "-V"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    return ran.stdout.strip() or None


def lock_of(root: Path) -> Path:
    """The lock file of an image; users hold it shared, so that the image is not deleted."""
    return root.parent / f"{root.name}.lock"


def recipe_digest(suite: str, recipe: Path = RECIPE, more: Sequence[str] = ()) -> str:
    """A digest of the paths, modes and contents of the recipe, of the suite and the architecture,
    and of `more` packages.
    """
    digest = hashlib.sha256(f"{suite}\0{platform.machine()}\0".encode())
    for package in sorted(more):
        digest.update(f"{package}\0".encode())
    for path in sorted(recipe.rglob("*")):
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        executable = os.access(path, os.X_OK)
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(recipe)}\0{executable}\0{content}\0".encode())
    return digest.hexdigest()


def sources_list(suite: str, environment: dict[str, str], apt: Path = _APT) -> list[str]:
    """Lines of a sources.list for a suite.

    Raises
    ------
    RehearsalError
        Neither apt's settings nor the environment name a Debian mirror.
    """
    uris = list(_apt_uris(apt))
    named = environment.get(MIRROR_VARIABLE)
    mirror = named or next((uri for uri in uris if re.search(r"/debian/?$", uri)), None)
    if mirror is None:
        raise RehearsalError(
            "no Debian mirror is configured in the settings of apt",
            f"set {MIRROR_VARIABLE} to the URL of a mirror, with a path that ends in /debian",
        )
    mirror = mirror.rstrip("/")
    lines = [f"deb [signed-by={_KEYRING}] {mirror} {suite} main"]
    security = None if named else next((u for u in uris if "debian-security" in u), None)
    if security is None and mirror.endswith("/debian"):
        security = mirror + "-security"
    if security is not None and suite in _WITH_SECURITY:
        lines.append(f"deb [signed-by={_KEYRING}] {security.rstrip('/')} {suite}-security main")
    return lines


def packages(suite: str, recipe: Path = RECIPE) -> list[str]:
    """Debian packages of a suite's image: the common ones and those of this suite."""
    own = recipe / f"packages-{suite}.txt"
    return _lines(recipe / "packages.txt") + (_lines(own) if own.is_file() else [])


def _apt_uris(apt: Path) -> Iterator[str]:
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    for path in files:
        try:
            text = path.read_text()
        except OSError:
            continue
        for line in text.splitlines():
            if line.startswith("URIs:"):
                yield from line.removeprefix("URIs:").split()
            elif line.startswith("deb "):
                yield from (word for word in line.split() if word.startswith(("http", "file:")))


def _build(images: Path, name: str, suite: str, progress: Progress, more: Sequence[str]) -> None:
    if shutil.which("mmdebstrap") is None:
        raise RehearsalError(
            "mmdebstrap, which builds the node image, is not installed",
            "as root: apt-get install --no-install-recommends mmdebstrap",
        )
    if not _KEYRING.exists():
        raise RehearsalError(
            f"{_KEYRING}, which verifies Debian's packages, is missing",
            "as root: apt-get install debian-archive-keyring",
        )
    lines = sources_list(suite, dict(os.environ))
    images.mkdir(parents=True, exist_ok=True)
    with _build_folder(images, name) as folder:
        root = folder / "root"
        sources = folder / "sources.list"
        sources.write_text("".join(f"{line}\n" for line in lines))
        _run(_mmdebstrap(suite, root, sources, more), progress, "Debian packages")
        progress("node image: HyperPod's paths and emulated hardware")
        _copy_tree(RECIPE / "root", root)
        _run([str(RECIPE / "finish.sh"), str(root)], progress, "finishing")
        # An address that refuses immediately: without a resolver each Slurm daemon waits 10 s.
        (root / "etc/resolv.conf").write_text(_DNS)
        (root / ".complete").write_text("")
        target = images / name
        if target.exists():  # an incomplete image of an older version
            shutil.rmtree(target)
        root.rename(target)


def _mmdebstrap(suite: str, root: Path, sources: Path, more: Sequence[str] = ()) -> list[str]:
    excluded = []
    for line in _lines(RECIPE / "excluded-paths.txt"):
        kind, path = ("include", line[1:]) if line.startswith("+") else ("exclude", line)
        excluded.append(f"--dpkgopt=path-{kind}={path}")
    return [
        # In its own mount namespace, so that its mounts end with it.
        "unshare",
        "--mount",
        "--propagation=private",
        "--",
        "mmdebstrap",
        "--mode=root",
        "--variant=apt",
        '--aptopt=Acquire::Languages "none"',
        '--aptopt=APT::Install-Recommends "false"',
        # Snapshot mirrors have expired Release files.
        '--aptopt=Acquire::Check-Valid-Until "false"',
        "--dpkgopt=force-unsafe-io",
        *excluded,
        f"--include={','.join([*packages(suite), *more])}",
        suite,
        str(root),
        str(sources),
    ]


def _run(command: Sequence[str], progress: Progress, what: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
    environment |= {"LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    tail: list[str] = []
    # mmdebstrap prints nothing while it downloads and installs packages.
    with (
        heartbeat(progress, f"node image, {what}"),
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                tail = [*tail[-30:], line.rstrip()]
                if line.startswith("I: ") and not line.startswith("I: automatically"):
                    progress(f"node image, {what}: {line[3:].strip()}")
        except BaseException:
            # The whole process group, because its children write into the folder to be deleted.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        words = [line for line in tail if line.startswith(("E:", "W:"))] or tail
        raise RehearsalError(
            f"building the node image failed at {what}: {' / '.join(words[-4:]) or 'no output'}",
            "check that the Debian mirror is reachable and that the disk has free space",
        )


def _copy_tree(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        destination = target / path.relative_to(source)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, destination)


@contextmanager
def _build_folder(images: Path, name: str) -> Iterator[Path]:
    # The caller holds the lock of this name, so that earlier build folders are abandoned.
    for left in images.glob(f".building-{name}-*"):
        remove_tree(left)
    folder = Path(tempfile.mkdtemp(prefix=f".building-{name}-", dir=images))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        remove_tree(folder)


def remove_tree(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> None:
    """Remove a folder, but not the contents of file systems mounted below it.

    Raises
    ------
    RehearsalError
        A file system below it cannot be unmounted.
    """
    for mounted in _mounts_below(folder, mounts):
        subprocess.run(["umount", "--lazy", mounted], check=False, capture_output=True)
    if left := _mounts_below(folder, mounts):
        raise RehearsalError(
            f"{folder} was not removed because {left[0]} is still mounted",
            f"as root: umount --recursive {left[-1]}",
        )
    shutil.rmtree(folder, ignore_errors=True)


def _mounts_below(folder: Path, mounts: Path) -> list[str]:
    """Mount points below a folder, the deepest first."""
    prefix = f"{folder.resolve()}/"
    found = []
    for line in mounts.read_text().splitlines():
        # Spaces, tabs, newlines and backslashes are written as octal numbers.
        path = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), line.split(" ")[1])
        if f"{path}/".startswith(prefix):
            found.append(path)
    return sorted(found, key=len, reverse=True)


def _delete_old(images: Path, prefix: str) -> None:
    found = sorted(
        images.glob(f"{prefix}-*/.complete"), key=lambda path: path.stat().st_mtime, reverse=True
    )
    for mark in found[_KEPT:]:
        # Runs that use the image hold its lock shared.
        with exclusive(images / f"{mark.parent.name}.lock", block=False) as got:
            if got:
                mark.unlink()
                shutil.rmtree(mark.parent, ignore_errors=True)


def _touch(root: Path) -> None:
    os.utime(root / ".complete")


def _lines(path: Path) -> list[str]:
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]

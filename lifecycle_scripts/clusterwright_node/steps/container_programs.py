"""Install Enroot and Pyxis from the artefacts, if the spec has `install: mirrored`.

Enroot has Debian packages. dpkg installs them from files and downloads nothing, so their
dependencies must be on the image or in the list. (apt would download them from the internet, and
does not accept local files with `--no-download`.) Pyxis is a source archive
and is compiled here, because a SPANK plug-in belongs to the one version of Slurm whose headers it
was made with; AWS's own scripts do the same, from GitHub (awslabs/awsome-distributed-ai,
`base-config/utils/install_enroot_pyxis.sh`). A record has the source and the version of Slurm of
the plug-in; if one of them changes, it is compiled again.
"""

from __future__ import annotations

import json

from clusterwright_node import artefacts
from clusterwright_node.contract import Artefact
from clusterwright_node.errors import CommandError, StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("artefacts", "needrestart")
DEADLINE_SECONDS = 900
RETRIES = 15
"""At intervals of at most 30 s: unattended upgrades hold dpkg's lock for minutes."""

STEP = "container_programs"
LIBRARY = "spank_pyxis.so"
LIBRARY_PATH = f"/usr/local/lib/slurm/{LIBRARY}"
"""The path of Pyxis's own Makefile."""
PLUGSTACK_FOLDER = "/etc/clusterwright/plugstack.d"
"""Included by plugstack.conf, which all nodes share, and looked up on each of them: where the
plug-in is required and missing, slurmd does not start, and HyperPod starts it before our scripts
(seen with Slurm 24.11 in a rehearsal).
"""
PLUGSTACK_FILE = f"{PLUGSTACK_FOLDER}/pyxis.conf"
_PLUGSTACK_TEXT = f"# Written by clusterwright_node.\nrequired {LIBRARY_PATH}\n"
RECORD = "/var/lib/clusterwright/pyxis.json"
BUILD = "/var/lib/clusterwright/build-pyxis"
_NEEDED = ("enroot", "pyxis")
_INSTALLING = "container_programs: install packages"
_DPKG = ("env", "DEBIAN_FRONTEND=noninteractive", "dpkg")
_HEADERS = "/opt/slurm/include"
_PACKAGE_SECONDS = 300.0


def applies(node: Node) -> Verdict:
    cluster = node.inputs.cluster
    if not cluster.containers.pyxis:
        return skip("the spec has no containers")
    if cluster.containers.install != "mirrored":
        return skip("the image includes enroot and pyxis")
    return APPLIES


def check(node: Node) -> Verdict:
    _all_there(node)
    if node.journal.begun(_INSTALLING) is not None:
        return missing("an earlier run ended while packages were being installed")
    for deb in _debs(node):
        reason = _why_not_installed(node, deb)
        if reason is not None:
            return missing(reason)
    source = _source(node)
    if source is not None and _record(node) != _wanted_record(node, source):
        return missing(
            f"{LIBRARY_PATH} was not built from {source.label} for this version of Slurm"
        )
    if source is not None and node.machine.read_text(PLUGSTACK_FILE) != _PLUGSTACK_TEXT:
        return missing(f"{PLUGSTACK_FILE} does not have {LIBRARY_PATH}")
    return SATISFIED


def apply(node: Node) -> None:
    debs = _debs(node)
    begun = node.journal.begun(_INSTALLING) is not None
    if begun or any(_why_not_installed(node, deb) is not None for deb in debs):
        _install(node, debs, begun)
    source = _source(node)
    if source is not None and _record(node) != _wanted_record(node, source):
        _build(node, source)
    if source is not None and node.machine.read_text(PLUGSTACK_FILE) != _PLUGSTACK_TEXT:
        node.machine.write_text(PLUGSTACK_FILE, _PLUGSTACK_TEXT)


def _all_there(node: Node) -> None:
    have = {each.name for each in artefacts.files_for(node, STEP)}
    lacking = [name for name in _NEEDED if name not in have]
    if lacking:
        raise StepError(
            "the list of artefacts has no {} for {}".format(
                " and no ".join(lacking), artefacts.architecture(node)
            ),
            f"add it to the list, used_by {STEP}; or slurm.containers.install: image",
        )


# --- packages


def _debs(node: Node) -> list[Artefact]:
    return [each for each in artefacts.files_for(node, STEP) if each.file.endswith(".deb")]


def _why_not_installed(node: Node, deb: Artefact) -> str | None:
    if not node.machine.has_command("dpkg-deb"):
        raise StepError(
            f"{deb.file} is a Debian package, and the image has no dpkg",
            "use an Ubuntu image of HyperPod, or one that includes enroot and pyxis: "
            "slurm.containers.install: image",
        )
    path = str(node.machine.path(artefacts.path_of(deb)))
    told = node.machine.query("dpkg-deb", "--field", path, "Package", "Version")
    fields = dict(line.split(": ", 1) for line in told.stdout.splitlines() if ": " in line)
    if not told.ok or not {"Package", "Version"} <= set(fields):
        raise StepError(
            f"{deb.file} is not a package: {told.said}",
            "correct its entry in the list of artefacts",
        )
    wanted = "installed {Version}".format(**fields)
    found = node.machine.query(
        "dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", fields["Package"]
    )
    if found.ok and found.stdout.strip() == wanted:
        return None
    return "package {Package} {Version} is not installed".format(**fields)


def _install(node: Node, debs: list[Artefact], interrupted: bool) -> None:
    machine = node.machine
    node.journal.begin(_INSTALLING, " ".join(deb.file for deb in debs))
    paths = [str(machine.path(artefacts.path_of(deb))) for deb in debs]
    try:
        if interrupted:
            # Others that were interrupted with it, if there were any.
            machine.change(*_DPKG, "--configure", "--pending", timeout_seconds=_PACKAGE_SECONDS)
        machine.change(*_DPKG, "--install", *paths, timeout_seconds=_PACKAGE_SECONDS)
    except CommandError as error:
        if "lock" in error.cause:
            raise  # temporary, such as unattended upgrades
        raise StepError(
            error.cause,
            "nothing is downloaded here: packages that they depend on must be on the image or in "
            f"the list of artefacts, used_by {STEP}",
        ) from None
    node.journal.end(_INSTALLING)


# --- the plug-in


def _source(node: Node) -> Artefact | None:
    """The source of Pyxis; None if it is a package too."""
    for each in artefacts.files_for(node, STEP):
        if each.file.endswith(".deb"):
            continue
        if each.name == "pyxis" and each.file.endswith((".tar.gz", ".tgz")):
            return each
        raise StepError(
            f"{each.label}: this step does not support {each.file}",
            "packages must end in .deb, and the source of pyxis in .tar.gz",
        )
    return None


def _record(node: Node) -> object:
    try:
        record: object = json.loads(node.machine.read_text(RECORD) or "null")
    except ValueError:
        return None
    return record


def _wanted_record(node: Node, source: Artefact) -> dict[str, object]:
    """The record of a current plug-in."""
    return {
        "library_sha256": node.machine.sha256_of(LIBRARY_PATH) or "none",
        "slurm": _slurm(node),
        "source_sha256": source.sha256,
    }


def _slurm(node: Node) -> str:
    # Of the daemon, which the image has on every node: srun loads the plug-ins and fails while one
    # is missing, and scontrol wants a configuration, which does not exist yet in scripted mode.
    told = node.machine.query("slurmd", "-V")
    if not told.ok:
        raise StepError(f"slurmd -V: {told.said}", "use a HyperPod image")
    return told.stdout.strip()


def _build(node: Node, source: Artefact) -> None:
    machine = node.machine
    for program in ("make", "cc"):
        if not machine.has_command(program):
            raise StepError(
                f"the image has no {program}, with which {source.label} is compiled",
                "use an image that has it, or one that includes pyxis: slurm.containers.install: "
                "image",
            )
    build = str(machine.path(BUILD))
    machine.change("rm", "-rf", build)
    machine.make_directory(BUILD, mode=0o700)
    machine.change(
        "tar", "--extract", "--gzip", "--no-same-owner", "--strip-components=1",
        "--directory", build, "--file", str(machine.path(artefacts.path_of(source))),
    )  # fmt: skip
    machine.change("env", f"CPPFLAGS=-I{_HEADERS}", "make", "-C", build, LIBRARY)
    folder, _, name = LIBRARY_PATH.rpartition("/")
    fresh = f"{folder}/.{name}.clusterwright-new"
    machine.make_directory(folder)
    machine.change("cp", f"{build}/{LIBRARY}", str(machine.path(fresh)))
    machine.adopt(fresh, LIBRARY_PATH)
    machine.change("rm", "-rf", build)
    # Write the record last: without it everything is repeated.
    record = json.dumps(_wanted_record(node, source), indent=2, sort_keys=True) + "\n"
    machine.write_text(RECORD, record)

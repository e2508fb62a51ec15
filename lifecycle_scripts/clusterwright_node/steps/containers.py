"""Configure Slurm for `srun --container-image`, with enroot and pyxis of the node.

They are on the image, or `container_programs` has installed them; if they are missing this step
fails. The controller names the plugin in plugstack.conf, which configless nodes
receive; each compute and login node has the files. On PCS each node names it itself, in the folder
of its Slurm (PCS user guide, spank_configure). A plugin that nodes install after the start of
their slurmd is in an included file, which each node reads from its own disk.
"""

from __future__ import annotations

import fnmatch

from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.steps import container_programs, slurm_programs

AFTER = ("container_programs", "slurm_daemons", "slurm_programs")
DEADLINE_SECONDS = 120
RETRIES = 2

PLUGSTACK = "/opt/slurm/etc/plugstack.conf"
_LIBRARY = "spank_pyxis.so"
_PLACES = (
    "/usr/local/lib/slurm/" + _LIBRARY,
    "/opt/slurm/lib/slurm/" + _LIBRARY,
    "/usr/lib/x86_64-linux-gnu/slurm-wlm/" + _LIBRARY,
    "/usr/lib/aarch64-linux-gnu/slurm-wlm/" + _LIBRARY,
    "/usr/lib64/slurm/" + _LIBRARY,
)
_RECONFIGURING = "containers: reconfigure slurmctld"
_PCS_FOLDER = "/etc/aws/pcs/scheduler"
_ENROOT = ("/usr/bin/enroot", "/usr/local/bin/enroot")


def applies(node: Node) -> Verdict:
    wanted = node.inputs.cluster.containers.pyxis
    return APPLIES if wanted else skip("the spec has no containers")


def check(node: Node) -> Verdict:
    library = _library(node)
    if not any(node.machine.exists(path) for path in _ENROOT):
        raise StepError(
            "the image has no enroot (searched: {})".format(", ".join(_ENROOT)), _hint()
        )
    if node.is_pcs:
        lacks = [p for p, text in _files_of_pcs(node).items() if node.machine.read_text(p) != text]
        return missing(f"{lacks[0]} is missing or outdated") if lacks else SATISFIED
    if not node.is_controller:
        return SATISFIED
    if node.journal.begun(_RECONFIGURING) is not None:
        return missing(f"slurmctld may not have reloaded {PLUGSTACK}")
    if _loads_pyxis(node):
        return SATISFIED
    return missing(f"{PLUGSTACK} does not load {library}")


def apply(node: Node) -> None:
    if node.is_pcs:
        for path, text in _files_of_pcs(node).items():
            if node.machine.read_text(path) != text:
                node.machine.write_text(path, text)
        return
    node.journal.begin(_RECONFIGURING, PLUGSTACK)
    if not _loads_pyxis(node):
        _load_pyxis(node)
    result = node.machine.query("scontrol", "ping")
    if result.ok and "UP" in result.stdout:
        node.machine.change("scontrol", "reconfigure")
    node.journal.end(_RECONFIGURING)


def _files_of_pcs(node: Node) -> dict[str, str]:
    """Texts by path, for each version of Slurm that the image has."""
    return {
        f"{_PCS_FOLDER}/{version}/plugstack.conf.d/50-clusterwright.conf": _line(node) + "\n"
        for version in slurm_programs.versions(node)
    }


def _load_pyxis(node: Node) -> None:
    text = node.machine.read_text(PLUGSTACK) or ""
    if text and not text.endswith("\n"):
        text += "\n"
    # In the file itself, not in plugstack.conf.d: configless mode does not distribute included
    # files of other folders.
    node.machine.write_text(PLUGSTACK, text + _line(node) + "\n")


def _line(node: Node) -> str:
    if node.machine.exists(container_programs.PLUGSTACK_FILE):
        return f"include {container_programs.PLUGSTACK_FOLDER}/*.conf"
    return f"required {_library(node)}"


def _library(node: Node) -> str:
    found = [path for path in _PLACES if node.machine.exists(path)]
    if not found:
        raise StepError(
            "the image has no {} (searched: {})".format(_LIBRARY, ", ".join(_PLACES)), _hint()
        )
    return found[0]


def _hint() -> str:
    return (
        "use an image that has enroot and pyxis, or let nodes install them:"
        " slurm.containers.install: mirrored; or set slurm.containers.pyxis to false"
    )


def _loads_pyxis(node: Node) -> bool:
    """Whether plugstack.conf names the plugin, itself or through an include."""
    lines = _active_lines(node.machine.read_text(PLUGSTACK))
    if any(_LIBRARY in line for line in lines):
        return True
    for line in lines:
        words = line.split()
        if words[0] == "include" and len(words) == 2 and _included_loads_pyxis(node, words[1]):
            return True
    return False


def _included_loads_pyxis(node: Node, pattern: str) -> bool:
    folder, _, name = pattern.rpartition("/")
    folder = folder or PLUGSTACK.rpartition("/")[0]
    return any(
        _LIBRARY in line
        for found in node.machine.listing(folder)
        if fnmatch.fnmatch(found, name)
        for line in _active_lines(node.machine.read_text(f"{folder}/{found}"))
    )


def _active_lines(text: str | None) -> list[str]:
    lines = (line.split("#", 1)[0].strip() for line in (text or "").splitlines())
    return [line for line in lines if line]

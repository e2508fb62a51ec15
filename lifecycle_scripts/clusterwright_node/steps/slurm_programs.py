"""Link /opt/slurm to Slurm's programs of AWS PCS, where everything here looks for them.

PCS installs Slurm in `/opt/aws/pcs/scheduler/slurm-<version>` (PCS user guide, spank_install). An
image that is ready for an update has several versions: the oldest is linked, because Slurm's
daemons answer older commands and not newer ones.
"""

from __future__ import annotations

from clusterwright_node import pcs
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 30
RETRIES = 1

LINK = "/opt/slurm"
_PREFIX = "slurm-"


def applies(node: Node) -> Verdict:
    return APPLIES if node.is_pcs else skip(f"{LINK} is part of {node.platform}'s image")


def check(node: Node) -> Verdict:
    folder = oldest(node)
    if node.machine.path(LINK).is_symlink():
        shown = node.machine.query("readlink", str(node.machine.path(LINK))).stdout.strip()
        return SATISFIED if shown == folder else missing(f"{LINK} leads to {shown}")
    if node.machine.exists(LINK):
        raise StepError(
            f"{LINK} is a folder of the image, and PCS has Slurm in {folder}",
            "use an image without another Slurm",
        )
    return missing(f"{LINK} does not exist")


def apply(node: Node) -> None:
    node.machine.change("ln", "-sfn", oldest(node), str(node.machine.path(LINK)))


def versions(node: Node) -> list[str]:
    """The names of the folders of Slurm's versions, the oldest first."""
    found = [name for name in node.machine.listing(pcs.SLURM) if name.startswith(_PREFIX)]
    return sorted(found, key=_numbers)


def oldest(node: Node) -> str:
    """The folder of the oldest version."""
    found = versions(node)
    if not found:
        raise StepError(
            f"the image has no Slurm in {pcs.SLURM}",
            "install Slurm for AWS PCS in the image, see the PCS user guide (custom AMIs)",
        )
    return f"{pcs.SLURM}/{found[0]}"


def _numbers(name: str) -> list[int]:
    words = name[len(_PREFIX) :].replace("-", ".").split(".")
    return [int(word) if word.isdigit() else 0 for word in words]

"""Move Docker's images and containers from the root volume to another volume.

To the scratch disks, else to the group's additional EBS volume (see disk_space). Only if the image
has Docker: nothing is installed. Of `daemon.json` only `data-root` is changed. Docker is restarted
after a change if no container runs; otherwise the change waits for the next run of this program or
the next reboot. Existing images remain on the root volume and are pulled again on use.

Members of the group `docker` have the privileges of root on the node (docs.docker.com, "Docker
daemon attack surface"), so users of the spec without sudo are removed from it.
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_node import disk_space, root_folders, systemd
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip
from clusterwright_node.paths import is_under

AFTER = ("containerd_storage", "scratch", "users")
DEADLINE_SECONDS = 180
RETRIES = 2

DAEMON_JSON = "/etc/docker/daemon.json"
UNIT = "docker.service"
DROP_IN = f"{systemd.UNIT_FOLDER}/{UNIT}.d/90-clusterwright.conf"
_RESTARTING = "docker_storage: restart Docker"
_GROUP = "docker"
_MODE = 0o710
"""The mode with which Docker creates it."""


def applies(node: Node) -> Verdict:
    if disk_space.place(node) is None:
        return skip(f"group {node.group.name} {disk_space.NONE}")
    if not node.machine.has_command("dockerd"):
        return skip("the image has no Docker")
    return APPLIES


def check(node: Node) -> Verdict:
    members = _members_without_sudo(node)
    if members:
        return missing("{} in the group {}".format(", ".join(members), _GROUP))
    if _place_by_flag(node) is not None:
        node.notice(f"Docker's unit sets --data-root itself: {_place_by_flag(node)}; not changed")
        return SATISFIED
    if not _has_room(node, _settings(node)):
        return missing(f"data-root of {DAEMON_JSON} is not below {disk_space.of(node)}")
    if not _folder_is_there(node):
        return missing(f"{_data_root(node)} does not exist")
    if node.machine.read_text(DROP_IN) != disk_space.drop_in(node):
        return missing(f"{DROP_IN} is outdated")
    if node.journal.begun(_RESTARTING) is None:
        return SATISFIED
    if has_containers(node):
        node.notice(
            "containers are running, so Docker uses the new data-root after its next restart"
        )
        return SATISFIED
    return missing("Docker does not use the new data-root")


def apply(node: Node) -> None:
    for name in _members_without_sudo(node):
        node.machine.change("gpasswd", "--delete", name, _GROUP)
    if _place_by_flag(node) is not None:
        return
    settings = _settings(node)
    if not _folder_is_there(node):
        node.machine.make_directory(_data_root(node), mode=_MODE)
    changed = node.machine.read_text(DROP_IN) != disk_space.drop_in(node)
    if changed or not _has_room(node, settings):
        node.journal.begin(_RESTARTING, DAEMON_JSON)
    if not _has_room(node, settings):
        settings.pop("graph", None)
        settings["data-root"] = _data_root(node)
        node.machine.write_text(DAEMON_JSON, json.dumps(settings, indent=2) + "\n")
    if changed:
        node.machine.write_text(DROP_IN, disk_space.drop_in(node))
    # Always: a run that was killed after it wrote the file has not reloaded.
    node.machine.change("systemctl", "daemon-reload")
    if has_containers(node):
        return
    if systemd.is_active(node, UNIT):
        systemd.restart(node, UNIT)
    node.journal.end(_RESTARTING)


def has_containers(node: Node) -> bool:
    """Whether a container of Docker runs, or Docker does not answer."""
    if not systemd.is_active(node, UNIT):
        return False
    result = node.machine.query("docker", "ps", "--quiet")
    # Do not restart a Docker that does not answer.
    return not result.ok or bool(result.stdout.strip())


def _data_root(node: Node) -> str:
    """The path in the file if it is on that volume; else a folder of this program there."""
    settings = _settings(node)
    if _has_room(node, settings):
        return str(settings["data-root"])
    return disk_space.of(node) + "/docker"


def _folder_is_there(node: Node) -> bool:
    """Create Docker's folder before Docker starts. Docker sets its mode."""
    path = _data_root(node)
    return root_folders.is_there(node, path, _MODE) or node.machine.exists(path)


def _has_room(node: Node, settings: dict[str, Any]) -> bool:
    """Any folder on that volume: the choice of the image or the administrator is kept."""
    place = settings.get("data-root")
    return isinstance(place, str) and is_under(place, disk_space.of(node))


def _settings(node: Node) -> dict[str, Any]:
    text = node.machine.read_text(DAEMON_JSON)
    if text is None or not text.strip():
        return {}
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise StepError(
            f"{DAEMON_JSON} is not JSON: {error}", "correct it on the image; Docker refuses it too"
        ) from None
    if not isinstance(settings, dict):
        raise StepError(f"{DAEMON_JSON} is not a JSON object", "correct it on the image")
    return settings


def _place_by_flag(node: Node) -> str | None:
    """The data-root that the unit's command line gives, None where it gives none.

    With both, Docker does not start (docs.docker.com/engine/daemon, "Configuration using flags").
    """
    return disk_space.by_flag(node, UNIT, "dockerd", "--data-root", "--graph", "-g")


def _members_without_sudo(node: Node) -> list[str]:
    result = node.machine.query("getent", "group", _GROUP)
    fields = result.stdout.strip().split(":")
    members = set(fields[3].split(",")) if len(fields) == 4 else set()
    return [
        user.name for user in node.inputs.cluster.users if user.name in members and not user.sudo
    ]

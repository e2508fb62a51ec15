"""Move Enroot's layers, containers and temporary files to a volume with enough space.

To the scratch disks, else to the group's additional EBS volume (see disk_space). By default they
are in home directories and in /tmp, which are shared or small: "No space left on device"
(awslabs/awsome-distributed-ai #427). `chmod 777 -R`, the usual workaround, allows users to change
containers of others. Here each user has a separate folder, mode 0700.

The settings are lines of enroot.conf, as NVIDIA/enroot `doc/configuration.md` has them; a value is
expanded by the shell for each user, as in NVIDIA/pyxis wiki "Setup". Enroot creates folders below
a user's folder itself. A user who is neither in the spec nor the image's has no folder, and Enroot
refuses to run: users must not create names in a shared folder.
"""

from __future__ import annotations

from clusterwright_node import disk_space, root_folders
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("containers", "scratch", "users")
DEADLINE_SECONDS = 60
RETRIES = 1

_CONFIGURATIONS = {
    "/usr/bin/enroot": "/etc/enroot/enroot.conf",
    "/usr/local/bin/enroot": "/usr/local/etc/enroot/enroot.conf",
}
_BEGIN = "# clusterwright_node: begin\n"
_END = "# clusterwright_node: end\n"
_REPLACED = "# replaced by clusterwright_node: "
_IMAGE_USERS = ("ubuntu", "ec2-user")
"""The users of Session Manager sessions."""
_PRIVATE = 0o700


def applies(node: Node) -> Verdict:
    if disk_space.place(node) is None:
        return skip(f"group {node.group.name} {disk_space.NONE}")
    if _configuration(node) is None:
        return skip("the image has no enroot")
    return APPLIES


def check(node: Node) -> Verdict:
    path = _path(node)
    if node.machine.read_text(path) != _wanted(node):
        return missing(f"{path} does not have {_base(node)}")
    for folder, mode in _shared(node).items():
        if not root_folders.is_there(node, folder, mode):
            return missing(f"{folder} does not exist, or has the wrong mode")
    for folder, owner in _private(node).items():
        found = root_folders.owner_without_links(node, folder)
        if found != owner or node.machine.mode_of(folder) != _PRIVATE:
            return missing(f"{folder} does not exist, or is not accessible only to its user")
    return SATISFIED


def apply(node: Node) -> None:
    machine = node.machine
    for folder, mode in _shared(node).items():
        root_folders.make(node, folder, mode)
    for folder, owner in _private(node).items():
        machine.make_directory(folder, mode=_PRIVATE)
        if machine.mode_of(folder) != _PRIVATE:
            machine.set_mode(folder, _PRIVATE)
        if root_folders.owner_without_links(node, folder) != owner:
            machine.set_file_owner(folder, *owner)
    # Last: until the folders exist, the old paths are used.
    if machine.read_text(_path(node)) != _wanted(node):
        machine.write_text(_path(node), _wanted(node))


def _base(node: Node) -> str:
    return disk_space.of(node) + "/enroot"


def _shared(node: Node) -> dict[str, int]:
    """Root's folders and their modes. Users cannot create names in the first one."""
    return {_base(node): 0o755, _base(node) + "/temporary": 0o1777}


def _private(node: Node) -> dict[str, tuple[int, int]]:
    """Users' folders and their owners, who cannot replace them: the parent is root's."""
    owners = [(user.uid, user.gid) for user in node.inputs.cluster.users]
    for line in node.machine.query("getent", "passwd", *_IMAGE_USERS).stdout.splitlines():
        fields = line.split(":")
        owners.append((int(fields[2]), int(fields[3])))
    return {f"{_base(node)}/user-{uid}": (uid, gid) for uid, gid in owners}


def _configuration(node: Node) -> str | None:
    found = [conf for program, conf in _CONFIGURATIONS.items() if node.machine.exists(program)]
    return found[0] if found else None


def _path(node: Node) -> str:
    path = _configuration(node)
    assert path is not None, "applies checks it"
    return path


def _wanted(node: Node) -> str:
    """The file with the marked block first, and without other lines for the same settings.

    The precedence of two lines for one setting differs between versions of enroot.
    """
    settings = _settings(node)
    kept = []
    inside = False
    for line in (node.machine.read_text(_path(node)) or "").splitlines(keepends=True):
        if line == _BEGIN:
            inside = True
        elif line == _END:
            inside = False
        elif not inside:
            words = line.replace("=", " ").split()
            kept.append(_REPLACED + line if words and words[0] in settings else line)
    lines = [f"{name} {value}\n" for name, value in settings.items()]
    return "".join([_BEGIN, *lines, _END, *kept])


def _settings(node: Node) -> dict[str, str]:
    base = _base(node)
    mine = f"{base}/user-$(id -u)"
    return {
        "ENROOT_RUNTIME_PATH": mine + "/runtime",
        "ENROOT_CACHE_PATH": mine + "/cache",
        "ENROOT_DATA_PATH": mine + "/data",
        "ENROOT_TEMP_PATH": base + "/temporary",
    }

"""Files in home directories: safe against symbolic links and concurrent nodes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node.errors import StepError
from clusterwright_node.home_files import HomeFiles, with_keys
from hypothesis import given
from hypothesis import strategies as st

from tests.nodes.fake_machine import FakeMachine
from tests.nodes.world import World

KEY = "ssh-ed25519 AAAA ada\n"


@pytest.fixture
def home(world: Callable[..., World]) -> Path:
    """An empty folder of home directories, shared by what `files` makes."""
    return world("login-1").root / "home"


def files(home: Path, token: str = "i-1") -> HomeFiles:
    return HomeFiles(FakeMachine(home.parents[1]), "/home", "ada", 5001, 5001, token)


def test_home_is_created_once(home: Path) -> None:
    assert files(home).why_not_right(KEY) == "/home/ada does not exist"
    files(home).make_right(KEY)
    assert files(home).why_not_right(KEY) is None
    assert (home / "ada/.ssh/authorized_keys").read_text().splitlines()[1] == KEY.strip()


@pytest.mark.parametrize("name", ["ada", "ada/.ssh", "ada/.ssh/authorized_keys"])
def test_symbolic_link_of_a_user_is_not_followed(home: Path, name: str) -> None:
    files(home).make_right(KEY)
    outside = home.parent / "outside"
    outside.mkdir()
    target = home / name
    if target.is_dir():
        target.rename(home.parent / "moved")
        target.symlink_to(outside)
    else:
        target.unlink()
        (outside / "file").write_text("root's own")
        target.symlink_to(outside / "file")
    with pytest.raises(StepError, match="is a link or not a folder"):
        files(home).make_right("ssh-ed25519 BBBB new\n")
    with pytest.raises(StepError, match="is a link or not a folder"):
        files(home).why_not_right("ssh-ed25519 BBBB new\n")
    assert [path.read_text() for path in outside.iterdir()] in ([], ["root's own"])


@pytest.mark.parametrize("kind", ["fifo", "folder", "huge"])
def test_unreasonable_authorized_keys_is_refused(home: Path, kind: str) -> None:
    files(home).make_right("")
    ssh = home / "ada/.ssh"
    ssh.mkdir(mode=0o700)
    ssh.chmod(0o700)
    descriptor = os.open(ssh, os.O_RDONLY)
    FakeMachine(home.parents[1]).set_owner(descriptor, 5001, 5001)
    os.close(descriptor)
    if kind == "fifo":
        os.mkfifo(ssh / "authorized_keys")
    elif kind == "folder":
        (ssh / "authorized_keys").mkdir()
    else:
        (ssh / "authorized_keys").write_bytes(b"x" * (1 << 20) + b"x")
    with pytest.raises(StepError, match="is not a file of reasonable size"):
        files(home).make_right(KEY)


def test_concurrent_change_by_the_user_is_not_lost(home: Path) -> None:
    files(home).make_right(KEY)
    keys = home / "ada/.ssh/authorized_keys"

    class Interrupted(FakeMachine):
        def between(self, label: str) -> None:
            keys.write_text("ssh-rsa AAAA mine\n")

    ours = HomeFiles(Interrupted(home.parents[1]), "/home", "ada", 5001, 5001, "i-1")
    with pytest.raises(StepError, match="changed concurrently") as caught:
        ours.make_right("ssh-ed25519 BBBB new\n")
    assert caught.value.transient
    assert keys.read_text() == "ssh-rsa AAAA mine\n"
    files(home).make_right(KEY)
    assert keys.read_text().startswith("ssh-rsa AAAA mine\n")
    assert sorted(path.name for path in keys.parent.iterdir()) == ["authorized_keys"]


def test_folder_created_concurrently_is_accepted(home: Path) -> None:
    class Slower(FakeMachine):
        def before(self, label: str) -> None:
            if label == "mkdir /home/ada":
                (home / "ada").mkdir(mode=0o700)

    ours = HomeFiles(Slower(home.parents[1]), "/home", "ada", 5001, 5001, "i-1")
    ours.make_right(KEY)
    assert ours.why_not_right(KEY) is None


def test_bytes_that_are_not_text_are_kept(home: Path) -> None:
    files(home).make_right(KEY)
    keys = home / "ada/.ssh/authorized_keys"
    keys.write_bytes(b"ssh-rsa AAAA \xff\n")
    files(home).make_right(KEY)
    assert keys.read_bytes().startswith(b"ssh-rsa AAAA \xff\n# BEGIN")


def test_concurrent_nodes_share_a_file_system(
    world: Callable[..., World], memory_path: Path
) -> None:
    """Every node of the cluster creates every user's home at the same time."""
    shared = memory_path / "shared-homes"
    shared.mkdir()
    nodes = []
    for name in ("controller-1", "login-1", "workers-1", "workers-2", "workers-3"):
        node = world(name, shared_owners=str(memory_path / "owners"))
        (node.root / "home").rmdir()
        (node.root / "home").symlink_to(shared)
        for number in range(5002, 5010):
            node.edit(
                "cluster.json",
                lambda c, n=number: c["users"].append(
                    dict(c["users"][0], name=f"u{n}", uid=n, gid=5000)
                ),
            )
        nodes.append(node)
    for _ in range(3):
        ready, go = os.pipe()
        children = []
        for node in nodes:
            child = os.fork()
            if child == 0:
                try:
                    os.close(go)
                    os.read(ready, 1)  # returns for all at once, when `go` is closed
                    os._exit(node.run().code)
                finally:
                    os._exit(99)
            children.append(child)
        os.close(ready)
        os.close(go)
        codes = [os.WEXITSTATUS(os.waitpid(child, 0)[1]) for child in children]
        assert codes == [0] * len(nodes)
        homes = sorted(path.name for path in shared.iterdir())
        assert homes == ["ada", *(f"u{n}" for n in range(5002, 5010))]
        for home in shared.iterdir():
            assert [path.name for path in (home / ".ssh").iterdir()] == ["authorized_keys"]
            text = (home / ".ssh/authorized_keys").read_text()
            assert text.count("# BEGIN") == text.count("# END") == 1
            assert text.count("ssh-ed25519") == 1
        for home in shared.iterdir():  # the next round changes all of them again
            (home / ".ssh/authorized_keys").unlink()


LINES = st.lists(st.sampled_from(["ssh-rsa AAAA own\n", "# note\n", "\n"]), max_size=4)


@given(own=LINES, first=st.sampled_from(["", KEY]), second=st.sampled_from(["", KEY, KEY * 2]))
def test_managed_block_is_replaced_and_other_lines_are_kept(
    own: list[str], first: str, second: str
) -> None:
    text = with_keys("".join(own), first)
    text = with_keys(text, second)
    assert text is not None
    assert text.startswith("".join(own))
    assert text.count("ssh-ed25519") == second.count("ssh-ed25519")
    assert with_keys(text, second) == text


def test_missing_final_newline_is_added() -> None:
    text = with_keys("ssh-rsa AAAA own", KEY)
    assert text is not None
    assert text.startswith("ssh-rsa AAAA own\n# BEGIN")


def test_no_file_is_created_without_keys() -> None:
    assert with_keys(None, "") is None

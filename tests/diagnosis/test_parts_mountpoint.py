"""What Mountpoint for Amazon S3 does not do, by the messages of its troubleshooting guide."""

from __future__ import annotations

import pytest

from tests.diagnosis.made import findings, of_log

LINE = '2024-02-01T16:12:09Z  WARN {}{{req=52 ino=49 name="out"}}: mountpoint_s3_fs::fuse: {}'


@pytest.mark.parametrize(
    ("operation", "said", "wrong"),
    [
        (
            "write",
            "write failed: upload error: out of order write NOT supported by Mountpoint, aborting "
            "the upload; expected offset 0 but got 512",
            "a program does not write a file in its order",
        ),
        (
            "setattr",
            "setattr failed: file overwrite is disabled by default, you need to remount with "
            "--allow-overwrite flag",
            "the mount does not allow that files are overwritten",
        ),
        (
            "setattr",
            "setattr failed: inode error: inode 2 is a remote inode and its attributes cannot be "
            "modified",
            "a program changes the attributes of a file",
        ),
        ("unlink", "unlink failed: Deletes are disabled. Use '--allow-delete'", "are deleted"),
        ("rename", "rename failed: operation not supported by Mountpoint", "cannot be renamed"),
        (
            "write",
            "write failed: upload error: object exceeded maximum upload size of 83886080000 bytes",
            "a file is larger than 10,000 parts",
        ),
    ],
)
def test_what_it_does_not_do_is_named(operation: str, said: str, wrong: str) -> None:
    (found,) = findings(*of_log(LINE.format(operation, said)))
    assert found.cause.startswith("S3: Mountpoint: ")
    assert wrong in found.cause


@pytest.mark.parametrize("operation", ["getxattr", "removexattr"])
def test_what_programs_go_on_without_is_nothing(operation: str) -> None:
    said = f"{operation} failed: operation not supported by Mountpoint"
    assert findings(*of_log(LINE.format(operation, said))) == ()

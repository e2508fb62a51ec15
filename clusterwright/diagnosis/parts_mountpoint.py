"""What Mountpoint for Amazon S3 does not do for a program, by its warnings.

Source: awslabs/mountpoint-s3, doc/TROUBLESHOOTING.md and doc/SEMANTICS.md (read 2026-11-30). What
programs ask for and go on without (extended attributes) has no part.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.programs import Program

MOUNTPOINT: Final = Program(
    "S3: Mountpoint",
    (r"\b(?:WARN|ERROR)\b[^\n]{0,400}\bmountpoint_s3\w*::",),
    (
        part(
            "a program does not write a file in its order from the beginning to the end, as "
            "Mountpoint requires: write it to a local disk or Lustre and copy it",
            r"out of order write",
        ),
        part(
            "the mount does not allow that files are overwritten (--allow-overwrite), and then "
            "whole files only",
            r"overwrite is disabled",
        ),
        part(
            "a program changes the attributes of a file that is an object of S3, or opens it for "
            "writing without --allow-overwrite",
            r"attributes cannot be modified",
        ),
        part(
            "the mount does not allow that files are deleted (--allow-delete)",
            r"deletes are disabled",
        ),
        part(
            "files cannot be renamed, as programs do that write a checkpoint under a temporary "
            "name",
            r"\brename failed",
        ),
        part(
            "an object is in an archive (GLACIER, DEEP_ARCHIVE): restore it first",
            r"only accessible if restored|GLACIER",
        ),
        part(
            "a file is larger than 10,000 parts (--write-part-size)",
            r"maximum upload size",
        ),
        part("it finds no credentials", r"no signing credentials"),
    ),
    warns=True,
)

"""Facts and specs for the tests of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.artefacts.lock import Artefact, write_lock
from clusterwright.aws.kms import Key
from tests.support import specs

RDS = {"slurm.accounting": {"kind": "rds"}}

PEOPLE = {"slurm.users": [{"name": "ada", "uid": 20001}]}

LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}

ARN = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/11111111-2222-3333-4444-555555555555"

GIVEN = {"identity.kms_key_arn": ARN}

KEY = Key(ARN, "Enabled", "SYMMETRIC_DEFAULT", "CUSTOMER")


def two_groups(name: str) -> dict[str, Any]:
    second = {**specs.SMALL["compute"][1], "name": "more", "instance_type": name}
    return {"compute.2": second}


def partitions(*groups: list[str]) -> dict[str, Any]:
    return {"slurm.partitions": [{"name": f"p{n}", "groups": g} for n, g in enumerate(groups)]}


def artefact_list(folder: Path, *rows: tuple[str, str, str | None]) -> str:
    """A list of artefacts (name, architecture, checksum); its path."""
    path = folder / "artefacts.json"
    write_lock(
        path,
        [
            Artefact(
                name,
                "1.0",
                architecture,
                f"https://example.com/{name}-{architecture}.deb",
                sha256,
                10 if sha256 else None,
                "made by a test",
                ("container_programs",),
            )
            for name, architecture, sha256 in rows
        ],
    )
    return str(path)


REASON = "the network team widens the range in January"


def waiver(**changes: Any) -> dict[str, Any]:
    entry = {"rule": "CW-N003", "reason": REASON, "expires": "2027-01-31", **changes}
    return {"waivers": [entry]}


SHORT = {"network.cidr": "10.0.0.0/24", "compute.1.count": 16}

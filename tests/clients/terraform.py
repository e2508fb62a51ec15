"""Terraform with the AWS provider, where the machine has both; nothing is downloaded.

The provider is looked for as Terraform does: in the folder that `TF_PLUGIN_MIRROR` names (for
machines that keep it elsewhere), then in the implied local mirrors of
https://developer.hashicorp.com/terraform/cli/config/config-file#implied-local-mirror-directories,
then in every folder of /opt that is laid out as a mirror (HOST/NAMESPACE/TYPE/VERSION/TARGET).
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_PROVIDER = "registry.terraform.io/hashicorp/aws"


@dataclass(frozen=True)
class Terraform:
    """The program, the newest provider, and the mirror that holds it."""

    program: Path
    mirror: Path
    provider_version: str


@dataclass(frozen=True)
class Absent:
    """Why Terraform is not tested on this machine."""

    reason: str


def find(environment: Mapping[str, str], opt: Path = Path("/opt")) -> Terraform | Absent:
    """Return Terraform and its AWS provider, or what is missing."""
    program = shutil.which("terraform", path=environment.get("PATH", os.defpath))
    if program is None:
        return Absent("no `terraform` on PATH")
    found = [
        (tuple(int(number) for number in version.name.split(".")), mirror)
        for mirror in _mirrors(environment, opt)
        for version in sorted((mirror / _PROVIDER).glob("*"))
        if re.fullmatch(r"\d+\.\d+\.\d+", version.name) and (version / _target()).is_dir()
    ]
    if not found:
        return Absent(
            f"no provider {_PROVIDER} for {_target()} in Terraform's implied local mirrors, /opt "
            "or TF_PLUGIN_MIRROR"
        )
    version, mirror = max(found, key=lambda item: item[0])
    return Terraform(Path(program), mirror, ".".join(str(number) for number in version))


def _mirrors(environment: Mapping[str, str], opt: Path) -> Iterator[Path]:
    if named := environment.get("TF_PLUGIN_MIRROR"):
        yield Path(named)
    if home := environment.get("HOME"):
        yield Path(home) / ".terraform.d" / "plugins"
        data = environment.get("XDG_DATA_HOME") or f"{home}/.local/share"
        yield Path(data) / "terraform" / "plugins"
    folders = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in folders.split(":"):
        yield Path(folder) / "terraform" / "plugins"
    if opt.is_dir():
        yield from sorted(opt.iterdir())


def _target() -> str:
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}_{machine}"


FOUND = find(os.environ)

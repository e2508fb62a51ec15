"""Validation of configurations by aws-parallelcluster, in its own environment.

The package needs CDK v1 and cannot be installed beside ours, so it runs in another process. Its
Python is that of `.clusterwright/clients/pcluster` in a checkout, built by `make test` and by
`python -m tools.setup.clients`. `CLUSTERWRIGHT_PCLUSTER_PYTHON` selects another Python, or none if
it is empty. Without one nothing is validated, and the answer states that.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

PYTHON: Final = "CLUSTERWRIGHT_PCLUSTER_PYTHON"
"""The environment variable with the path of a Python that has aws-parallelcluster; empty: none."""

_CHECKOUT: Final = Path(__file__).parents[5]
_BUILT: Final = Path(".clusterwright/clients/pcluster")

LEVELS: Final = ("INFO", "WARNING", "ERROR")
_VALIDATOR: Final = Path(__file__).with_name("pcluster_validator.py")
_LIMIT_S: Final = 300.0


class ValidatorFailed(Exception):
    """The process could not be started, failed, or gave an invalid answer."""


@dataclass(frozen=True, kw_only=True)
class Running:
    """The running state of a cluster that is updated."""

    base: Mapping[str, Any]
    """Its current configuration."""

    capacity: bool = False
    """Whether the compute fleet is not stopped."""

    login_pools: Sequence[str] = ()
    """Pools that have login nodes."""

    head_node_instance_id: str | None = None
    head_node_security_group: str | None = None
    compute_security_group: str | None = None


@dataclass(frozen=True, kw_only=True)
class ValidationResult:
    """The result of a validation.

    Attributes
    ----------
    version:
        The version of the package that validated; None without one.
    unvalidated:
        Why validation was skipped or partial; None after a full validation.
    messages:
        `{level, type, message}`, of the schema or of validators.
    refused:
        Changes that an update policy forbids: `{parameter, requestedValue, currentValue,
        message}`.
    """

    version: str | None = None
    unvalidated: str | None = None
    messages: Sequence[Mapping[str, str]] = field(default_factory=tuple)
    refused: Sequence[Mapping[str, str]] = field(default_factory=tuple)

    def at_or_above(self, level: str) -> list[Mapping[str, str]]:
        """Return the messages that stop a creation or an update at this failure level."""
        return [
            message
            for message in self.messages
            if LEVELS.index(message["level"]) >= LEVELS.index(level)
        ]


def validate(
    name: str,
    configuration: Mapping[str, Any],
    *,
    account: str,
    region: str,
    version: str,
    address: str | None,
    running: Running | None = None,
    suppressed: Sequence[str] = (),
) -> ValidationResult:
    """Validate a configuration, and the change from the running state.

    Parameters
    ----------
    version:
        The requested release; the result states if another release validated.
    address:
        The URL of the local AWS. Without it the validators, which call AWS, do not run.

    suppressed:
        Validators to skip, as in `pcluster --suppress-validators`.

    Raises
    ------
    ValidatorFailed
        The environment is configured or built and cannot be used.
    """
    python = validator_python()
    if python is None:
        return ValidationResult(
            unvalidated=f"{PYTHON} names no Python with aws-parallelcluster, and "
            "`python -m tools.setup.clients` has built none"
        )
    request = {
        "name": name,
        "configuration": configuration,
        "validators": address is not None,
        "suppressed": list(suppressed),
        "base": None if running is None else running.base,
        "running_capacity": running is not None and running.capacity,
        "running_login_pools": [] if running is None else list(running.login_pools),
        "head_node_instance_id": running and running.head_node_instance_id,
        "head_node_security_group": running and running.head_node_security_group,
        "compute_security_group": running and running.compute_security_group,
    }
    answer = _ask(python, request, account=account, region=region, address=address)
    reasons = []
    if answer["version"] != version:
        reasons.append(f"{answer['version']} validated a configuration of {version}")
    failed = answer["messages"] or answer["refused"]
    if not answer["validators"] and not failed:
        reasons.append("its validators, which call AWS, need a local AWS on a port")
    return ValidationResult(
        version=answer["version"],
        unvalidated="; ".join(reasons) or None,
        messages=answer["messages"],
        refused=answer["refused"],
    )


def validator_python() -> str | None:
    """Return the Python of the environment, or None."""
    named = os.environ.get(PYTHON)
    if named is not None:
        return named or None
    built = _CHECKOUT / _BUILT
    # The stamp is written last: an environment without it is incomplete.
    return str(built / "bin" / "python") if (built / "built-from").is_file() else None


def _ask(
    python: str,
    request: Mapping[str, Any],
    *,
    account: str,
    region: str,
    address: str | None,
) -> dict[str, Any]:
    # Without the caller's variables that could lead to a real account.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "PYTHON"))}
    environment |= {
        "AWS_ACCESS_KEY_ID": account,
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        # Nothing listens there: without an address no call may succeed.
        "AWS_ENDPOINT_URL": address or "http://localhost:9",
    }
    if address is not None:
        # Its client puts the bucket before the host name, which fails with an IP address.
        environment["AWS_ENDPOINT_URL_S3"] = address.replace("localhost", "127.0.0.1")
    try:
        done = subprocess.run(
            [python, str(_VALIDATOR)],
            input=json.dumps(request),
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValidatorFailed(f"{python}: {error}") from error
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise ValidatorFailed(f"{python} has no usable aws-parallelcluster: {last}") from None
    return answer

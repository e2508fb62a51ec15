"""The deployment of a rehearsal: synthesis, bootstrap, artefacts and `cdk deploy`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from clusterwright_rehearsal import artefact_mirror
from clusterwright_rehearsal.cdk import Cdk
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.findings import Findings
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.verdict import Promise

SCENARIO = "deployment"
PROMISE_TEXT = "the real cdk deploys every stack to the local AWS"


def deploy(
    cdk: Cdk,
    config: Path,
    spec: Mapping[str, Any],
    findings: Findings,
    progress: Callable[[str], None],
) -> bool:
    """Deploy the spec and record the promise `deployment.deploys`; return whether it held."""
    started = time.monotonic()
    failure: str | None = None
    try:
        with findings.phase("synthesis and bootstrap"), ThreadPoolExecutor(2) as pool:
            progress("cdk bootstrap and synth")
            bootstrap = pool.submit(cdk.bootstrap)
            assembly = cdk.synthesise(config)
            bootstrap.result()
        with findings.phase("deployment"):
            progress("cdk deploy")
            needed = artefact_mirror.needed_artefacts(assembly)
            if needed is not None:
                # In the order of the documentation: the bucket, its contents, the other stacks.
                cdk.deploy(assembly, f"{spec['environment']}-lifecycle")
                s3 = AwsClients(cdk.url, cdk.account, cdk.region).client("s3")
                lock = artefact_mirror.lock_path(spec)
                outcomes = artefact_mirror.mirror_to_bucket(s3, needed, lock)
                findings.notes += artefact_mirror.missing_notes(outcomes)
            cdk.deploy(assembly)
    except RehearsalError as error:
        failure = error.message
    findings.promises.append(
        Promise(
            f"{SCENARIO}.deploys",
            SCENARIO,
            PROMISE_TEXT,
            "held" if failure is None else "broken",
            time.monotonic() - started,
            failure,
        )
    )
    return failure is None

"""`clusterwright drift`: everything that differs from the file and from what was deployed."""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clusterwright.cli.cluster_reading import EXIT_CODES, read_deployed
from clusterwright.cli.deleted_stacks import deleted_stacks
from clusterwright.cli.deployed_templates import deployed_templates
from clusterwright.cli.diff_drift import drift_of
from clusterwright.cli.garbage_collection import reduced_gc
from clusterwright.cli.inputs import catalog_errors
from clusterwright.cli.operating_policy import policy_option, print_policy
from clusterwright.cli.options import format_option, spec_argument, timeout_option
from clusterwright.cli.rewritten_uploads import rewritten_uploads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clusterwright.cli.cluster_reading import ReadCluster
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.operate.results import Difference, DriftReport, NotCompared


@click.command(epilog=EXIT_CODES)
@spec_argument
@timeout_option(300.0)
@policy_option("Print the IAM policy that drift needs, and call no AWS API.")
@format_option("text", "json")
@click.pass_context
@reduced_gc()
def command(
    ctx: click.Context,
    /,
    path: Path,
    timeout_seconds: float,
    iam_policy: bool,
    output_format: str,
) -> None:
    """List what differs between CONFIG, its deployment and what runs now.

    Compared are the file with the spec of the last deployment; live resources with the deployed
    templates: CloudFormation's drift detection, the rules of security groups, network ACLs,
    routes, endpoints, what was added to a VPC, an EKS cluster, a file system or a topic, the
    permissions of roles and keys, launch templates, file systems and instance groups; image
    versions; uploaded scripts that were written or deleted since; the inputs of the node program,
    and its installed files by their hash; and the running Slurm configuration. What was not
    compared is listed. CloudFormation records the drift that it detects; nothing else is changed.
    """
    if iam_policy:
        print_policy(path, "drift", output_format)
        return
    read = read_deployed(
        path,
        command="drift",
        output_format=output_format,
        prices=None,
        timeout_seconds=timeout_seconds,
    )
    with catalog_errors():
        report = _report(read, path, timeout_seconds)
    if output_format == "json":
        from clusterwright.json_output.drift import drift_json

        sys.stdout.write(drift_json(report))
    else:
        from clusterwright.render.drift import drift_text
        from clusterwright.render.style import Style

        sys.stdout.write(drift_text(report, Style.of(sys.stdout)))
    ctx.exit(report.exit_code)


def _report(read: ReadCluster, path: Path, timeout_seconds: float) -> DriftReport:
    from clusterwright.operate.existing_resources import not_created
    from clusterwright.operate.results import Difference, DriftReport, NotCompared

    stacks, resources, unreadable = _stacks(read, timeout_seconds)
    found = [*_spec(read), *resources, *not_created(read.spec.resolved()), *_running(read)]
    unknown = [read.state.cluster, read.state.deployed_spec]
    refused = list(_refused(unknown))
    return DriftReport(
        file=str(path),
        environment=read.spec.cluster.environment,
        account=read.spec.cluster.account,
        region=read.spec.cluster.region,
        stacks=stacks,
        differences=tuple(each for each in found if isinstance(each, Difference)),
        not_compared=(*refused, *(each for each in found if isinstance(each, NotCompared))),
        unreadable=unreadable
        or bool(refused)
        or read.state.scheduler.unknown is not None
        or any(isinstance(each, NotCompared) and each.is_unread for each in found),
    )


def _refused(parts: Sequence[object]) -> Iterator[NotCompared]:
    from clusterwright.cluster_state.not_read import NotRead
    from clusterwright.operate.results import NotCompared

    for part in parts:
        if isinstance(part, NotRead):
            yield NotCompared(part.what, part.reason, part.hint)


def _spec(read: ReadCluster) -> Iterator[Difference | NotCompared]:
    """The file against the recorded spec of the last deployment."""
    from clusterwright.cluster_state.reading import deployed_spec
    from clusterwright.operate.results import Difference, NotCompared
    from clusterwright.review.spec_diff import spec_changes

    recorded = deployed_spec(read.state)
    if recorded is None:
        if not isinstance(read.state.deployed_spec, str | None):
            return  # listed with its reason
        yield NotCompared("the file", "no deployed template records its spec")
        return
    # As JSON, in which the recorded spec is kept.
    resolved = json.loads(json.dumps(read.spec.resolved()))
    for change in spec_changes(recorded, resolved):
        yield Difference("spec", change.path, change.before, change.after, "spec")


def _stacks(
    read: ReadCluster, timeout_seconds: float
) -> tuple[tuple[str, ...], list[Difference | NotCompared], bool]:
    """The deployed stacks, what differs, and whether something could not be read."""
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.operate.results import Difference, NotCompared
    from clusterwright.review.assembly import pseudo_parameters
    from clusterwright.review.results import UncheckedPart, Unknown

    cluster = read.spec.cluster
    names = pseudo_parameters(cluster.account, cluster.region, cluster.partition)
    unknown: list[Unknown] = []
    partly: list[UncheckedPart] = []
    try:
        stacks, deployed = deployed_templates(read.session, cluster.environment, names, unknown)
        changes, unchecked = drift_of(read.session, deployed, timeout_seconds, unknown, partly)
        rewritten, unlisted = rewritten_uploads(read.session, deployed, unknown)
    except AwsUnavailable as refusal:
        return (), [NotCompared("the deployed stacks", refusal.message, refusal.hint)], True
    gone = deleted_stacks(read.session, cluster.environment, stacks)
    found: list[Difference | NotCompared] = [*unlisted, *gone]
    for change in (*changes, *rewritten):
        resource, _, path = change.path.partition(".")
        found.append(Difference(resource, path, change.after, change.before, "stack"))
    found += [NotCompared(part.what, part.reason, part.hint) for part in unknown]
    by_type: dict[str, list[str]] = {}
    refused = {part.what for part in unknown}
    for each in unchecked:
        if f"resources of type {each.type}" in refused:
            continue  # listed with its reason
        by_type.setdefault(each.type, []).append(f"{each.stack}/{each.logical_id}")
    found += [
        NotCompared(f"{kind}: {', '.join(names)}", "no API call of this product reads the type")
        for kind, names in sorted(by_type.items())
    ]
    found += [NotCompared(part.what, part.reason) for part in partly]
    return tuple(stacks), found, bool(unknown)


def _running(read: ReadCluster) -> Iterator[Difference | NotCompared]:
    """Images, the node program with its inputs, and Slurm's configuration."""
    from clusterwright.catalog import load_catalog
    from clusterwright.operate.running_configuration import (
        image_differences,
        installed_differences,
        node_program_differences,
        slurm_differences,
    )

    cluster, state = read.spec.cluster, read.state
    yield from image_differences(state)
    if cluster.uses_slurm:
        uploaded = functools.cache(lambda: _uploaded(read))
        yield from node_program_differences(cluster, state, uploaded)
        yield from installed_differences(cluster, state, uploaded)
    yield from slurm_differences(cluster, state, load_catalog())


def _uploaded(read: ReadCluster) -> Mapping[str, str | None] | NotRead:
    """The files of the node program at the address that the deployed controller's group has."""
    from clusterwright.aws import s3
    from clusterwright.aws.errors import AwsUnavailable
    from clusterwright.cluster_state.not_read import NotRead, known
    from clusterwright.operate.running_configuration import INPUT_FILES, NO_ADDRESS, PROGRAM_FILE

    platform = known(read.state.cluster)
    groups = platform.groups if platform is not None else ()
    address = next((group.scripts_s3_uri for group in groups if group.scripts_s3_uri), None)
    what = "the inputs of the node program"
    if address is None:
        return NotRead(what, NO_ADDRESS)
    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    try:
        return {
            name: s3.object_text(
                read.session, bucket, f"{prefix.strip('/')}/{name}", maximum_bytes=4_000_000
            )
            for name in (*INPUT_FILES, PROGRAM_FILE)
        }
    except AwsUnavailable as error:
        return NotRead.from_error(what, error)

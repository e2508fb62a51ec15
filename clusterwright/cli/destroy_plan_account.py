"""What the account has of a cluster that is to be deleted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.review.results import Unknown

if TYPE_CHECKING:
    from clusterwright.aws.cloudformation.stacks import StackResource
    from clusterwright.aws.session import AwsSession
    from clusterwright.cluster_spec.models import Cluster
    from clusterwright.review.assembly import Assembly
    from clusterwright.review.deletion import AccountFacts, ActiveJobs

_BUCKET = "AWS::S3::Bucket"
_REPOSITORY = "AWS::ECR::Repository"


def account_facts(cluster: Cluster, assembly: Assembly) -> AccountFacts:
    """Read the account; what cannot be read is unknown, with the cause."""
    from clusterwright.aws.cloudformation.stacks import stacks
    from clusterwright.aws.session import AwsSession
    from clusterwright.platforms.stack_names import part_of, stack_name
    from clusterwright.review.deletion import AccountFacts
    from clusterwright.review.deletion_leftovers import leftovers

    session = AwsSession(cluster.region)
    try:
        own = [s for s in stacks(session) if part_of(cluster.environment, s.name) is not None]
    except AwsUnavailable as refusal:
        # Without the stacks nothing else answers either, with the same cause.
        why = Unknown("what the account has", refusal.message, refusal.hint)
        return AccountFacts(unknown=(why,))
    unknown: list[Unknown] = []
    wanted = dict.fromkeys(key for row in leftovers(cluster) for key in row.find)
    vpc_id = _vpc_id(session, cluster, [stack.name for stack in own], unknown)
    with ThreadPoolExecutor(8) as pool:
        found = dict(
            zip(
                wanted,
                pool.map(lambda key: _found(session, key, vpc_id, unknown), wanted),
                strict=True,
            )
        )
        physical = {
            (name, resource.logical_id): resource.physical_id
            for name, resources in zip(
                [stack.name for stack in own],
                pool.map(lambda stack: _resources(session, stack.name, unknown), own),
                strict=True,
            )
            for resource in resources
            if resource.physical_id
        }
        names = _bucket_names(assembly)
        filled = pool.map(lambda name: _filled(session, name, unknown), names)
        filled_buckets = frozenset(n for n, full in zip(names, filled, strict=True) if full)
        repositories = _repository_names(assembly, physical)
        full = pool.map(lambda name: _holds_images(session, name, unknown), repositories)
        filled_repositories = frozenset(
            name for name, has in zip(repositories, full, strict=True) if has
        )
    jobs = None
    if stack_name(cluster.environment, "cluster") in {stack.name for stack in own}:
        jobs = _jobs(session, cluster, unknown)
    return AccountFacts(
        protected=frozenset(stack.name for stack in own if stack.protected),
        other_stacks=tuple(s.name for s in own if s.name not in assembly.stacks),
        filled_buckets=filled_buckets,
        filled_repositories=filled_repositories,
        jobs=jobs,
        found=found,
        physical=physical,
        unknown=tuple(unknown),
    )


def _found(
    session: AwsSession, wanted: tuple[str, str], vpc_id: str | None, unknown: list[Unknown]
) -> tuple[str, ...]:
    """The names of one entry of `find` in the table of leftovers."""
    from clusterwright.aws.ec2.instances import karpenter_instances
    from clusterwright.aws.ec2.network_interfaces import interfaces_described
    from clusterwright.aws.ec2.routes import endpoints
    from clusterwright.aws.ec2.volumes import volume_ids
    from clusterwright.aws.ecr import holds_images, repository_names
    from clusterwright.aws.fsx import tagged_file_systems
    from clusterwright.aws.logs import log_group_names
    from clusterwright.aws.s3 import bucket_names
    from clusterwright.platforms.stack_names import part_of

    kind, key = wanted
    read: dict[str, Callable[[], Iterable[str]]] = {
        "buckets": lambda: (n for n in bucket_names(session) if n.startswith(key)),
        "endpoints": lambda: (
            one.id
            for one in endpoints(session)
            if one.vpc_id == vpc_id and (one.stack is None or part_of(key, one.stack) is None)
        ),
        "file-systems": lambda: (
            tagged_file_systems(session, vpc_id, key) if vpc_id is not None else ()
        ),
        "karpenter-instances": lambda: karpenter_instances(session, key),
        "load-balancers": lambda: (
            interfaces_described(session, vpc_id, key) if vpc_id is not None else ()
        ),
        "log-groups": lambda: log_group_names(session, key),
        "repositories": lambda: (
            name for name in repository_names(session, key) if holds_images(session, name)
        ),
        "volumes": lambda: volume_ids(session, key),
    }
    try:
        return tuple(read[kind]())
    except AwsUnavailable as refusal:
        unknown.append(Unknown(f"{kind} ({key})", refusal.message, refusal.hint))
        return ()


def _resources(
    session: AwsSession, stack: str, unknown: list[Unknown]
) -> tuple[StackResource, ...]:
    from clusterwright.aws.cloudformation.stacks import stack_resources

    try:
        return stack_resources(session, stack)
    except AwsUnavailable as refusal:
        unknown.append(Unknown(f"the resources of {stack}", refusal.message, refusal.hint))
        return ()


def _vpc_id(
    session: AwsSession, cluster: Cluster, stacks: list[str], unknown: list[Unknown]
) -> str | None:
    """The VPC of the cluster; None where it is not deployed."""
    from clusterwright.aws.cloudformation.stacks import stack_resources
    from clusterwright.platforms.stack_names import stack_name

    if cluster.network.existing is not None:
        return cluster.network.existing.vpc_id
    name = stack_name(cluster.environment, "network")
    if name not in stacks:
        return None
    try:
        resources = stack_resources(session, name)
    except AwsUnavailable as refusal:
        unknown.append(Unknown("the VPC", refusal.message, refusal.hint))
        return None
    return next((r.physical_id for r in resources if r.type == "AWS::EC2::VPC"), None)


def _repository_names(assembly: Assembly, physical: Mapping[tuple[str, str], str]) -> list[str]:
    """The deployed repositories of the stacks; the physical id is the name."""
    from clusterwright.review.resource_changes import resources_of

    return [
        physical[key]
        for key, resource in resources_of(assembly).items()
        if resource.type == _REPOSITORY and key in physical
    ]


def _holds_images(session: AwsSession, name: str, unknown: list[Unknown]) -> bool:
    from clusterwright.aws.ecr import holds_images

    try:
        return bool(holds_images(session, name))
    except AwsUnavailable as refusal:
        unknown.append(Unknown(f"the repository {name}", refusal.message, refusal.hint))
        return False


def _jobs(session: AwsSession, cluster: Cluster, unknown: list[Unknown]) -> ActiveJobs | None:
    """The jobs of a deployed cluster that have not ended; None where they are unknown."""
    from clusterwright.cluster_state.reading import scheduler
    from clusterwright.review.deletion import ActiveJobs

    what = "running jobs"
    try:
        view = scheduler(session, cluster, dt.datetime.now(dt.UTC))
    except AwsUnavailable as refusal:
        unknown.append(Unknown(what, refusal.message, refusal.hint))
        return None
    if view.unknown is not None:
        unknown.append(Unknown(what, view.unknown.reason, view.unknown.hint))
    state = view.state
    if state is None:
        return None
    if state.jobs is None:
        unknown.append(Unknown(what, "the controller could not read its queue"))
        return None
    running = [f"{job.id} of {job.user}" if job.user else job.id for job in state.running or ()]
    return ActiveJobs(
        running=_count(state.jobs, "RUNNING", "COMPLETING", "SUSPENDED"),
        pending=_count(state.jobs, "PENDING"),
        names=tuple(running),
    )


def _count(jobs: Mapping[str, int], *states: str) -> int:
    return sum(number for state, number in jobs.items() if state.upper() in states)


def _bucket_names(assembly: Assembly) -> list[str]:
    from clusterwright.review.resource_changes import resources_of

    return [
        name
        for resource in resources_of(assembly).values()
        if resource.type == _BUCKET
        and isinstance(name := resource.properties.get("BucketName"), str)
    ]


def _filled(session: AwsSession, name: str, unknown: list[Unknown]) -> bool:
    from clusterwright.aws.errors import is_not_found
    from clusterwright.aws.s3 import holds_objects

    try:
        return holds_objects(session, name)
    except AwsUnavailable as refusal:
        if not is_not_found(refusal):
            unknown.append(Unknown(f"the bucket {name}", refusal.message, refusal.hint))
        return False

"""The plan of a cluster's deletion: order, what is lost, what remains, and what prevents it.

It is derived from the templates and the spec; `AccountFacts` add what the account has. Nothing is
called or read here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill import Bill
from clusterwright.review import resource_types
from clusterwright.review.assembly import Assembly
from clusterwright.review.deletion_leftovers import Leftover, leftovers
from clusterwright.review.deletion_results import (
    DeletionBlocker,
    DeletionPlan,
    DeletionStep,
    LostData,
    Remaining,
)
from clusterwright.review.expressions import references
from clusterwright.review.resource_changes import (
    KEEPING,
    Key,
    ResourceVersion,
    deletion_policy,
    exports,
    imports,
    resources_of,
)
from clusterwright.review.results import Unknown

_EMPTIED: Final = "Custom::S3AutoDeleteObjects"
_BUCKETS: Final = ("AWS::S3::Bucket", "AWS::S3Express::DirectoryBucket")
_REPOSITORY: Final = "AWS::ECR::Repository"
MAXIMUM_JOBS: Final = 10
"""Running jobs that a plan names; the others are counted."""

_INTERFACES: Final = frozenset({"AWS::FSx::FileSystem", "AWS::RDS::DBInstance"})
"""Types with network interfaces in subnets: while one exists, EC2 deletes neither the subnet nor
the security group (DependencyViolation)."""

_NETWORK: Final = ("AWS::EC2::Subnet", "AWS::EC2::SecurityGroup")
_COMPONENTS: Final[Mapping[str, tuple[str, str]]] = {
    "AWS::APS::Workspace": ("observability", "Prometheus"),
    "AWS::ECR::Repository": ("images", ""),
    "AWS::Grafana::Workspace": ("observability", "Grafana"),
    "AWS::KMS::Key": ("identity", "KMS key"),
    "AWS::RDS::DBInstance": ("accounting", "RDS"),
    "AWS::S3::Bucket": ("objects", ""),
    "AWS::S3Express::DirectoryBucket": ("objects", ""),
    "AWS::SecretsManager::Secret": ("accounting", "Secrets Manager"),
}
"""The component of the bill and words of its lines, by type."""

_LINGERS: Final[Mapping[str, tuple[str, str]]] = {
    "AWS::KMS::Key": (
        "KMS deletes it after a waiting period of 30 days, in which `aws kms cancel-key-deletion` "
        "restores it; it is not charged",
        'KMS developer guide, "Deleting KMS keys"; PendingWindowInDays of AWS::KMS::Key',
    ),
}
"""Types that exist for a while after their deletion: why, and the source."""

_DELETE: Final[Mapping[str, str]] = {
    "AWS::APS::Workspace": "aws amp delete-workspace --region {region} --workspace-id {id}",
    "AWS::ECR::Repository": (
        "aws ecr delete-repository --region {region} --repository-name {id} --force"
    ),
    "AWS::FSx::FileSystem": ("aws fsx delete-file-system --region {region} --file-system-id {id}"),
    "AWS::Grafana::Workspace": (
        "aws grafana delete-workspace --region {region} --workspace-id {id}"
    ),
    "AWS::KMS::Key": "aws kms schedule-key-deletion --region {region} --key-id {id}",
    "AWS::RDS::DBInstance": (
        "aws rds modify-db-instance --region {region} --db-instance-identifier {id} "
        "--no-deletion-protection --apply-immediately && aws rds delete-db-instance "
        "--region {region} --db-instance-identifier {id} --final-db-snapshot-identifier {id}-final"
    ),
    "AWS::RDS::DBParameterGroup": (
        "aws rds delete-db-parameter-group --region {region} --db-parameter-group-name {id}"
    ),
    "AWS::RDS::DBSubnetGroup": (
        "aws rds delete-db-subnet-group --region {region} --db-subnet-group-name {id}"
    ),
    "AWS::S3::Bucket": "aws s3 rb s3://{id} --force",
    "AWS::S3Express::DirectoryBucket": "aws s3 rb s3://{id} --force",
    "AWS::SecretsManager::Secret": (
        "aws secretsmanager delete-secret --region {region} --secret-id {id}"
    ),
}
"""Commands that delete retained resources, by type. `rb --force` deletes no older versions."""

_UNLOCK: Final[Mapping[str, str]] = {
    "AWS::EKS::Cluster": (
        "aws eks update-cluster-config --region {region} --name {id} --no-deletion-protection"
    ),
    "AWS::RDS::DBInstance": (
        "aws rds modify-db-instance --region {region} --db-instance-identifier {id} "
        "--no-deletion-protection --apply-immediately"
    ),
}
"""Commands that turn deletion protection off, by type."""

_NAMED: Final[Mapping[str, str]] = {
    "AWS::EKS::Cluster": "Name",
    "AWS::RDS::DBInstance": "DBInstanceIdentifier",
}
"""The property that is the resource's id."""

_FREE: Final = frozenset(
    {
        "AWS::FSx::DataRepositoryAssociation",
        "AWS::RDS::DBParameterGroup",
        "AWS::RDS::DBSubnetGroup",
        "AWS::S3::BucketPolicy",
        "AWS::SecretsManager::SecretTargetAttachment",
    }
)


@dataclass(frozen=True, kw_only=True)
class ActiveJobs:
    """Numbers of jobs that run and that wait; `names` are ids of those that run, with users."""

    running: int
    pending: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AccountFacts:
    """What the account has of the cluster.

    Attributes
    ----------
    protected:
        Stacks with termination protection; None where the stacks are unknown.
    filled_buckets:
        Buckets that contain objects.
    filled_repositories:
        ECR repositories of the stacks that contain images.
    jobs:
        The jobs that have not ended; None where the cluster is not deployed, or they are unknown.
    found:
        Names in the account by kind and key of `find` in the table of leftovers.
    other_stacks:
        Stacks of the environment that are deployed and not part of the app.
    """

    protected: frozenset[str] | None = None
    other_stacks: tuple[str, ...] = ()
    filled_buckets: frozenset[str] = frozenset()
    filled_repositories: frozenset[str] = frozenset()
    jobs: ActiveJobs | None = None
    found: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    physical: Mapping[Key, str] = field(default_factory=dict)
    """Ids of the resources of the stacks."""

    unknown: tuple[Unknown, ...] = field(default=())


def deletion_plan(
    cluster: Cluster,
    assembly: Assembly,
    bill: Bill,
    *,
    file: str,
    config: str,
    account: AccountFacts | None = None,
    unknown: Iterable[Unknown] = (),
) -> DeletionPlan:
    """The plan for a cluster.

    Parameters
    ----------
    config:
        The words that select the spec for the CDK, such as `-c env=prod`.
    account:
        None where the account is not read: the plan is that of the templates alone.
    """
    found = _Deletion(cluster, assembly, bill, account)
    blockers = tuple(found.blockers())
    return DeletionPlan(
        file=file,
        environment=cluster.environment,
        platform=cluster.platform,
        protection=cluster.protection,
        stacks=found.order,
        steps=tuple(found.steps(config)),
        blockers=blockers,
        lost=tuple(found.lost()),
        remaining=tuple(found.remaining()),
        unknown=(*unknown, *(account.unknown if account is not None else ())),
        read_account=account is not None,
    )


class _Deletion:
    def __init__(
        self, cluster: Cluster, assembly: Assembly, bill: Bill, account: AccountFacts | None
    ) -> None:
        self._cluster, self._assembly, self._bill = cluster, assembly, bill
        self._account = account or AccountFacts()
        self._resources = resources_of(assembly)
        self._leftovers = leftovers(cluster)
        self.order = _order(assembly)
        self._kept = {
            key: resource
            for key, resource in self._resources.items()
            if deletion_policy(resource) in KEEPING
        }
        self._users: dict[str, list[str]] = {}
        self._pinned = self._pinned_stacks()

    def steps(self, config: str) -> Iterator[DeletionStep]:
        """The commands to run, in order."""
        yield from self._wait_for_jobs()
        first: dict[str, list[str]] = {}
        for row in self._leftovers:
            for command in row.commands_before(self._names(row)):
                first.setdefault(command, []).append(f"{row.what}: {row.why}")
        for command, reasons in first.items():
            yield DeletionStep(command=command, why="; ".join(reasons))
        for name in self._protected():
            if name in self._pinned:
                continue
            yield DeletionStep(
                command=_unprotect(name, self._cluster.region),
                why=f"{name} has termination protection; what it retains stays in the account",
            )
        for where, _, command in self._locked():
            yield DeletionStep(command=command, why=f"{where} has deletion protection")
        going = [name for name in self.order if name not in self._pinned]
        what = "--all" if not self._pinned else " ".join(going)
        others = f"; {', '.join(self._pinned)} stays, see what remains" if self._pinned else ""
        yield DeletionStep(
            command=f"cdk destroy {config} {what}",
            why=f"deletes {len(going)} stacks in this order: {', '.join(going)}{others}",
        )

    def blockers(self) -> Iterator[DeletionBlocker]:
        """Why `cdk destroy --all` would stop."""
        for name in self._protected():
            yield DeletionBlocker(
                where=name,
                message=f"{name} has termination protection",
                hint=(
                    f"to keep its data: {_unprotect(name, self._cluster.region)}; to delete its "
                    f"data: `protection: destroy`, then `cdk deploy {name}`"
                ),
            )
        yield from self._undeletable()
        for name, why in self._pinned.items():
            yield DeletionBlocker(
                where=name,
                message=f"{name} cannot be deleted: {why}",
                hint=f"leave {name} out of `cdk destroy`, or delete the retained resources first",
            )
        for name in self._account.other_stacks:
            yield DeletionBlocker(
                where=name,
                message=f"{name} is deployed and no longer part of the app: `cdk destroy` does "
                "not delete it, and the stacks whose exports it uses cannot be deleted",
                hint=f"aws cloudformation delete-stack --region {self._cluster.region} "
                f"--stack-name {name}",
            )

    def lost(self) -> Iterator[LostData]:
        """What is deleted and holds something that cannot be created again."""
        yield from self._lost_jobs()
        for name in self.order:
            for key, resource in self._resources.items():
                what = resource_types.HOLDS.get(resource.type)
                if key[0] != name or what is None or key in self._kept or name in self._pinned:
                    continue
                if deletion_policy(resource) == "Snapshot":
                    continue
                yield LostData(
                    where="/".join(key),
                    type=resource.type,
                    what=what,
                    copy=self._copy_of(resource),
                )

    def remaining(self) -> Iterator[Remaining]:
        """What exists afterwards, beginning with what the templates retain."""
        for key, resource in self._resources.items():
            if key in self._kept:
                yield self._retained(key, resource)
            elif deletion_policy(resource) == "Snapshot":
                yield Remaining(
                    kind="snapshot",
                    what=resource.type,
                    name="/".join(key),
                    why="its deletion policy is Snapshot",
                )
        for key, resource in self._resources.items():
            lingering = _LINGERS.get(resource.type)
            if lingering is not None and key not in self._kept:
                why, source = lingering
                yield Remaining(
                    kind="service",
                    what=resource.type,
                    name="/".join(key),
                    why=why,
                    id=self._account.physical.get(key),
                    free=True,
                    source=source,
                )
        for name, why in self._pinned.items():
            network = name.endswith("-network")
            yield Remaining(
                kind="retained",
                what="AWS::CloudFormation::Stack",
                name=name,
                why=why,
                monthly_usd=self._priced("network", "") if network else None,
                delete=f"aws cloudformation delete-stack --region {self._cluster.region} "
                f"--stack-name {name}",
            )
        yield from _existing(self._cluster)
        yield from _capacity(self._cluster)
        for row in self._leftovers:
            yield from row.remaining(self._cluster, self._names(row))

    def _wait_for_jobs(self) -> Iterator[DeletionStep]:
        jobs = self._account.jobs
        if jobs is None or not jobs.running:
            return
        slurm = self._cluster.uses_slurm
        yield DeletionStep(
            command="squeue" if slurm else "kubectl get jobs --all-namespaces",
            why=f"{_counted(jobs.running, 'job')} running: wait, or let each write a checkpoint "
            f"and end it with `{'scancel' if slurm else 'kubectl delete job'}`",
        )

    def _lost_jobs(self) -> Iterator[LostData]:
        jobs = self._account.jobs
        if jobs is None or not jobs.running + jobs.pending:
            return
        shown = ", ".join(jobs.names[:MAXIMUM_JOBS])
        more = len(jobs.names) - MAXIMUM_JOBS
        named = f" ({shown}{f' and {more} more' if more > 0 else ''})" if shown else ""
        yield LostData(
            where="jobs",
            type="jobs",
            what=f"{_counted(jobs.running, 'job')} running{named}, "
            f"{_counted(jobs.pending, 'job')} waiting: they end with the cluster, and what they "
            "did since their last checkpoint is lost",
        )

    def _names(self, row: Leftover) -> tuple[str, ...]:
        """The names of a row that the account has."""
        known = self._account.found
        return tuple(name for key in row.find for name in known.get(key, ()))

    def _protected(self) -> list[str]:
        known = self._account.protected
        return [
            name
            for name in self.order
            if (name in known if known is not None else self._assembly.stacks[name].protected)
        ]

    def _undeletable(self) -> Iterator[DeletionBlocker]:
        """Resources that CloudFormation must delete and that their services refuse to delete."""
        for where, kind, command in self._locked():
            yield DeletionBlocker(
                where=where, message=f"{where} ({kind}) has deletion protection", hint=command
            )
        emptied = {
            (key[0], reference.name)
            for key, resource in self._resources.items()
            if resource.type == _EMPTIED
            for reference in references(dict(resource.properties))
        }
        for key, resource in self._resources.items():
            if key in self._kept:
                continue
            where = "/".join(key)
            if resource.type in _BUCKETS and key not in emptied:
                name = resource.properties.get("BucketName")
                filled = self._account.filled_buckets
                if isinstance(name, str) and name in filled:
                    yield DeletionBlocker(
                        where=where,
                        message=f"the bucket {name} is not empty, and nothing empties it",
                        hint=f"aws s3 rm --recursive s3://{name}, and delete its versions",
                    )
            if resource.type == _REPOSITORY and key not in emptied:
                yield from self._filled_repository(key, resource)

    def _filled_repository(self, key: Key, resource: ResourceVersion) -> Iterator[DeletionBlocker]:
        """ECR refuses to delete a repository with images (RepositoryNotEmptyException)."""
        name = self._account.physical.get(key)
        if resource.properties.get("EmptyOnDelete") == "true":
            return
        if name not in self._account.filled_repositories:
            return
        yield DeletionBlocker(
            where="/".join(key),
            message=f"the repository {name} has images, and nothing deletes them",
            hint=f"aws ecr delete-repository --region {self._cluster.region} "
            f"--repository-name {name} --force, or deploy `EmptyOnDelete: true`",
        )

    def _locked(self) -> Iterator[tuple[str, str, str]]:
        """Resources that are deleted and have deletion protection: their name and type, and the
        command that turns it off.
        """
        for key, resource in self._resources.items():
            protection = resource_types.DELETION_PROTECTION.get(resource.type)
            if protection is None or key in self._kept:
                continue
            if resource.properties.get(protection) != "true":
                continue
            known = self._account.physical.get(key)
            name = known or resource.properties.get(_NAMED.get(resource.type, ""))
            command = _UNLOCK.get(resource.type, f"deploy `protection: destroy` to {key[0]}")
            yield (
                "/".join(key),
                resource.type,
                command.format(id=name or "<id>", region=self._cluster.region),
            )

    def _pinned_stacks(self) -> dict[str, str]:
        """Stacks that cannot be deleted while retained resources exist, with the reason.

        They are those whose subnets and groups retained resources use, and those whose exports
        such a stack imports.
        """
        exported = exports(self._assembly)
        found: dict[str, list[str]] = {}
        for key, resource in self._kept.items():
            if resource.type not in _INTERFACES:
                continue
            used = self._network_of(key[0], dict(resource.properties), exported)
            for stack in sorted(used):
                found.setdefault(stack, []).append("/".join(key))
        reasons = {
            name: f"{', '.join(users)} is retained and has network interfaces in its subnets"
            for name, users in found.items()
        }
        self._users = found
        for name in self.order:  # users come before what they use
            if name not in reasons:
                continue
            for export in sorted(imports(self._assembly, name)):
                owner = exported[export][0] if export in exported else name
                if owner != name:
                    reasons.setdefault(owner, f"{name} imports its exports")
        return {name: reasons[name] for name in self.order if name in reasons}

    def _network_of(
        self, stack: str, value: Any, exported: Mapping[str, tuple[str, Any]]
    ) -> set[str]:
        """The stacks of the subnets and security groups that a value refers to."""
        found = set()
        for reference in references(value):
            if reference.kind == "import" and reference.name in exported:
                found |= self._network_of(*exported[reference.name], exported)
            resource = self._resources.get((stack, reference.name))
            if reference.kind in ("ref", "attribute") and resource is not None:
                if resource.type in _NETWORK:
                    found.add(stack)
                elif resource.type == "AWS::RDS::DBSubnetGroup":
                    found |= self._network_of(stack, dict(resource.properties), exported)
        return found

    def _retained(self, key: Key, resource: ResourceVersion) -> Remaining:
        where = "/".join(key)
        free = resource.type in _FREE
        return Remaining(
            kind="retained",
            what=resource.type,
            name=where,
            why=f"its deletion policy is {deletion_policy(resource)}",
            blocks=next((n for n, users in self._users.items() if where in users), None),
            free=free,
            monthly_usd=None if free else self._monthly(resource),
            id=self._account.physical.get(key),
            delete=self._deleted_with(key, resource),
        )

    def _deleted_with(self, key: Key, resource: ResourceVersion) -> str | None:
        """The command that deletes a retained resource, with `<id>` where its id is unknown."""
        words = _DELETE.get(resource.type)
        if words is None:
            return None
        # The id of a workspace is its ARN, whose last part the command expects.
        name = self._account.physical.get(key, "<id>").rpartition("workspace/")[2]
        return words.format(id=name, region=self._cluster.region)

    def _monthly(self, resource: ResourceVersion) -> Decimal | None:
        """The cost of a retained resource; None where it or its part of a line is unknown."""
        if resource.type == resource_types.FILE_SYSTEM:
            if resource.properties.get("FileSystemType") == "OPENZFS":
                return self._priced("home", "")
            name = _tag(resource, "Name")
            short = name.removeprefix(f"{self._cluster.environment}-") if name else None
            return self._priced("lustre", f"{short}:") if short else None
        component = _COMPONENTS.get(resource.type)
        same = [r for r in self._kept.values() if r.type == resource.type]
        return self._priced(*component) if component and len(same) == 1 else None

    def _priced(self, component: str, words: str) -> Decimal | None:
        """The sum of the bill's lines; None where one is unknown or there is none."""
        lines = [
            line
            for line in self._bill.lines
            if line.component == component and words in line.item and not line.by_use
        ]
        amounts = [line.monthly_usd for line in lines]
        if not amounts or None in amounts:
            return None
        return sum((amount for amount in amounts if amount is not None), Decimal(0))

    def _copy_of(self, resource: ResourceVersion) -> str | None:
        """Where files of a file system are exported to."""
        if resource.type != resource_types.FILE_SYSTEM:
            return None
        found = [
            f"{repository.s3} ({repository.path})"
            for fs in self._cluster.storage.lustre
            if _tag(resource, "Name") == f"{self._cluster.environment}-{fs.name}"
            for repository in fs.repositories
            if repository.export_events
        ]
        if not found:
            return None
        return f"what is exported: {', '.join(found)}; nothing outside these folders"


def _order(assembly: Assembly) -> tuple[str, ...]:
    """The stacks in the order of deletion: users before what they use."""
    exported = {name: stack for name, (stack, _) in exports(assembly).items()}
    uses = {
        name: set(stack.after & assembly.stacks.keys())
        | {exported[i] for i in imports(assembly, name) if i in exported and exported[i] != name}
        for name, stack in assembly.stacks.items()
    }
    found: list[str] = []

    def visit(name: str) -> None:
        if name in found:
            return
        for used in sorted(uses[name]):
            visit(used)
        found.append(name)

    for name in assembly.stacks:
        visit(name)
    return tuple(reversed(found))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _unprotect(stack: str, region: str) -> str:
    return (
        f"aws cloudformation update-termination-protection --region {region} "
        f"--stack-name {stack} --no-enable-termination-protection"
    )


def _tag(resource: ResourceVersion, key: str) -> str | None:
    tags = resource.properties.get("Tags")
    for tag in tags if isinstance(tags, list) else ():
        if (
            isinstance(tag, Mapping)
            and tag.get("Key") == key
            and isinstance(tag.get("Value"), str)
        ):
            return str(tag["Value"])
    return None


def _existing(cluster: Cluster) -> Iterator[Remaining]:
    """What the spec uses and no stack has."""
    network, storage, accounting = cluster.network, cluster.storage, cluster.slurm.accounting
    names = {}
    if network.existing is not None:
        names["VPC"] = [network.existing.vpc_id]
    names["file system"] = [fs.existing.id for fs in storage.lustre if fs.existing is not None]
    created = {r.s3 for fs in storage.lustre for r in fs.repositories if r.create}
    names["bucket"] = sorted(
        {r.s3 for fs in storage.lustre for r in fs.repositories} - created
        | {f"s3://{bucket.name}" for bucket in storage.buckets if not bucket.create}
    )
    if storage.home is not None and storage.home.existing is not None:
        home = storage.home.existing
        names["file system"].append(home.volume_id or home.dns_name)
    if accounting.existing is not None:
        names["database"] = [accounting.existing.endpoint]
    if cluster.identity.kms_key_arn is not None:
        names["KMS key"] = [cluster.identity.kms_key_arn]
    for what, own in names.items():
        for name in own:
            yield Remaining(
                kind="existing",
                what=what,
                name=name,
                why="the spec names it, and no stack has it: it is not changed, and its cost is "
                "not the cluster's",
                free=True,
            )


def _capacity(cluster: Cluster) -> Iterator[Remaining]:
    """Capacity that is paid for whether a cluster uses it or not."""
    for group in cluster.compute:
        capacity = group.capacity
        name = getattr(capacity, "arn", None) or getattr(capacity, "id", None)
        if name is None:
            continue
        if group.is_interruptible:
            yield Remaining(
                kind="capacity",
                what=f"interruptible reservation of {group.name}",
                name=str(name),
                why="its owner can reclaim it; who is charged for unused instances was in no "
                "source read here",
                source="PCS user guide, Using I-ODCRs with AWS PCS",
            )
            continue
        reservation = capacity.kind == "reservation"
        yield Remaining(
            kind="capacity",
            what=f"{capacity.kind} of {group.name}",
            name=str(name),
            why=(
                "EC2 charges a reservation until it is cancelled, used or not"
                if reservation
                else "it is paid for in advance and not refunded; another cluster can use it "
                "until it ends"
            ),
            free=not reservation,
            delete=(
                f"aws ec2 cancel-capacity-reservation --region {cluster.region} "
                f"--capacity-reservation-id {name}"
                if reservation
                else None
            ),
            source="EC2 user guide, Capacity Reservations, Capacity Blocks; SageMaker developer "
            "guide, training plans",
        )

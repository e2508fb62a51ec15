"""Failures after a deployment, run through the signatures: causes named, and false causes.

`measured` turns each entry of docs/explanations/diagnosed-failures*.yaml into evidence, as the
readers of AWS and of the published state do, and compares the findings with the expected cause.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from clusterwright.diagnosis import cluster_events, engine, log_lines, scheduler, stack_events
from clusterwright.diagnosis.model import Evidence, Finding, Target
from clusterwright.diagnosis.targets import concerning

_FOLDER: Final = Path(__file__).resolve().parents[2] / "docs/explanations"
LISTS: Final = (
    _FOLDER / "diagnosed-failures.yaml",
    _FOLDER / "diagnosed-failures-held-out.yaml",
    _FOLDER / "diagnosed-failures-fifth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-sixth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-seventh-hold-out.yaml",
    _FOLDER / "diagnosed-failures-eighth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-ninth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-tenth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-eleventh-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twelfth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-thirteenth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-fourteenth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-fifteenth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-eighteenth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twentieth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-second-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-third-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-fourth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-fifth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-sixth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-seventh-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-eighth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-twenty-ninth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-thirtieth-hold-out.yaml",
    _FOLDER / "diagnosed-failures-thirty-first-hold-out.yaml",
    _FOLDER / "diagnosed-failures-thirty-second-hold-out.yaml",
)


@dataclass(frozen=True)
class Injected:
    """Entries of these samples, injected into a deployment: tests/cli/test_diagnose_injected.py
    compares the figures.
    """

    samples: tuple[int, ...]
    failures: int
    healthy: int
    not_named: int
    false_causes: int


INJECTED: Final = Injected((1, 2), failures=63, healthy=5, not_named=0, false_causes=1)
"""The false cause: a log line names a host that no node of the deployment has, so that a job's
end by it is a finding of its own."""
NOW: Final = dt.datetime(2026, 11, 23, 8, 30, tzinfo=dt.UTC)
CONTEXT: Final = engine.Context("configs/prod.yaml", "prod", "111122223333", "us-east-1")
_STACK_ID: Final = "arn:aws:cloudformation:us-east-1:111122223333:stack/prod-cluster/1"


@dataclass(frozen=True)
class Failure:
    """One entry; `cause` is None where nothing is wrong, `first_try` None outside the hold-out."""

    failure: str
    source: str
    evidence: tuple[Mapping[str, Any], ...]
    cause: str | None
    ask: str | None = None
    sample: int = 1
    first_try: bool | None = None


@dataclass(frozen=True)
class Measured:
    """A failure with its findings. `false_causes` are findings of rank 0 beside the expected."""

    failure: Failure
    findings: tuple[Finding, ...]

    @property
    def named(self) -> bool:
        """Whether the first finding has the expected cause, or there is none where none is."""
        if self.failure.cause is None:
            return not self.findings
        first = self.findings[0].cause if self.findings else ""
        return bool(re.search(self.failure.cause, first, re.IGNORECASE))

    @property
    def false_causes(self) -> tuple[str, ...]:
        expected = self.failure.cause
        return tuple(
            finding.cause
            for finding in self.findings
            if expected is None or not re.search(expected, finding.cause, re.IGNORECASE)
        )


def read(paths: Sequence[Path] = LISTS) -> tuple[Failure, ...]:
    """Every failure of the lists."""
    return tuple(
        Failure(**{**entry, "evidence": tuple(entry["evidence"])})
        for path in paths
        # The parser in C: these are half a megabyte.
        for entry in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    )


def measured(failures: Iterable[Failure]) -> tuple[Measured, ...]:
    """The findings of each failure."""
    return tuple(Measured(failure, _findings(failure)) for failure in failures)


def _findings(failure: Failure) -> tuple[Finding, ...]:
    target = _target(failure.ask)
    evidence: list[Evidence] = []
    stack: list[Sequence[str]] = []
    events: list[cluster_events.ClusterEvent] = []
    document: Mapping[str, Any] = {}
    for number, item in enumerate(failure.evidence):
        ((kind, value),) = item.items()
        if kind == "stack":
            stack.append(value)
        elif kind == "event":
            events.append(_event(value, number))
        elif kind == "scheduler":
            document = value
            evidence += scheduler.of_document(value, target, NOW)
        else:
            evidence += _MAKERS[kind](value)
    if stack:
        evidence += stack_events.failures(_stack(stack))
    evidence += cluster_events.of_events(events)
    return engine.findings(concerning(evidence, target, {}, document), CONTEXT)


def _target(ask: str | None) -> Target:
    if ask is None:
        return Target()
    subject, _, name = ask.partition(" ")
    return Target(subject, name)  # type: ignore[arg-type]


def _log(text: str) -> tuple[Evidence, ...]:
    return _lines(text, log_lines.Place("log group prod", "LifecycleConfig/workers/i-0aaa"))


def _job_log(text: str) -> tuple[Evidence, ...]:
    return _lines(text, log_lines.Place("slurm-99.out", "slurm-99.out", job="99"))


def _lines(text: str, place: log_lines.Place) -> tuple[Evidence, ...]:
    lines = [log_lines.Line(line, n) for n, line in enumerate(text.splitlines(), start=1)]
    return log_lines.evidence(lines, place)


def _event(value: Sequence[str], number: int) -> cluster_events.ClusterEvent:
    level, description, reason, *instance = value
    metadata: Mapping[str, Any] = {"Instance": {"FailureMessage": reason}} if reason else {}
    if description.startswith("Slurm"):
        metadata = {
            "SlurmHealth": {"Component": "Slurmdbd", "Status": "Unhealthy", "Reason": reason}
        }
    return cluster_events.ClusterEvent(
        id=f"event-{number}",
        time=NOW + dt.timedelta(seconds=number),
        description=description,
        level=level,
        group="workers",
        instance=instance[0] if instance else "",
        metadata=metadata,
    )


def _stack(rows: Sequence[Sequence[str]]) -> list[stack_events.StackEvent]:
    """The events of an operation that fails, newest first."""

    def event(number: int, name: str, status: str, reason: str) -> stack_events.StackEvent:
        is_stack = name == "prod-cluster"
        return stack_events.StackEvent(
            id=f"{name}-{number}",
            stack="prod-cluster",
            stack_id=_STACK_ID,
            logical_id=name,
            physical_id=_STACK_ID if is_stack else "",
            type="AWS::CloudFormation::Stack" if is_stack else "AWS::X::Y",
            status=status,
            reason=reason,
            time=NOW + dt.timedelta(seconds=number),
        )

    events = [event(0, "prod-cluster", "CREATE_IN_PROGRESS", "")]
    for number, (name, reason, *status) in enumerate(rows, start=1):
        usual = "ROLLBACK_IN_PROGRESS" if name == "prod-cluster" else "CREATE_FAILED"
        events.append(event(number, name, status[0] if status else usual, reason))
    events.append(event(99, "prod-cluster", "ROLLBACK_COMPLETE", ""))
    return events[::-1]


def _service(kind: str, resource: str) -> Callable[[str], tuple[Evidence, ...]]:
    def make(text: str) -> tuple[Evidence, ...]:
        said = f"state {text}" if kind == "database" else text
        fields = {"file_system": resource} if resource.startswith("fs-") else {}
        return (
            Evidence(
                kind, kind, resource, None, said, resource=resource, failed=True, fields=fields
            ),
        )

    return make


def _node(value: Sequence[str]) -> tuple[Evidence, ...]:
    name, status, message = value
    return cluster_events.of_nodes(
        [cluster_events.NodeStatus("i-0aaa", "workers", status, message, name)]
    )


_MAKERS: Final[Mapping[str, Callable[[Any], tuple[Evidence, ...]]]] = {
    "log": _log,
    "job_log": _job_log,
    "node": _node,
    "cluster": lambda text: cluster_events.of_cluster("prod", "Failed", text),
    "node_group": _service("node-group", "workers"),
    "scaling": _service("scaling-activity", "workers-asg"),
    "file_system": _service("file-system", "fs-0a1b2c3d4e5f60718"),
    "data_repository": _service("data-repository", "fs-0a1b2c3d4e5f60718"),
    "database": _service("database", "prod-accounting"),
    "capacity": _service("capacity", "cr-0123456789abcdef0"),
}


def page(results: Sequence[Measured]) -> str:
    """The page: recall, false causes, the hold-out, and every failure."""
    samples = [[m for m in results if m.failure.sample == n] for n in range(1, len(_NAMES) + 1)]
    first, second, third, fourth, fifth, sixth, seventh, *of_kinds = samples
    tried = [m for m in second if m.failure.first_try]
    return "\n".join(
        [
            _TOP.format(injected=_injected()),
            "| Sample | Failures | Cause named | False causes |",
            "|---|---|---|---|",
            _row("First, used to write the signatures", first),
            *(
                _row(f"{name.capitalize()}, now", found)
                for name, found in zip(_NAMES[1:], samples[1:], strict=True)
            ),
            "",
            "The hold-out was written from public threads after the signatures existed, and "
            f"measured before anything was changed: **{len(tried)} of {len(second)}** causes "
            "were named at the first try. The signatures of the others were then extended, each "
            "for its kind of failure.",
            "",
            *_later_hold_outs(third, fourth, fifth, sixth, seventh),
            *_hold_outs_of_kinds(*of_kinds[:3]),
            *_hold_outs_of_families(*of_kinds[3:6]),
            *_hold_outs_of_others(*of_kinds[6:8]),
            *_hold_outs_of_subjects(*of_kinds[8:13]),
            *_hold_outs_of_operators(*of_kinds[13:15]),
            *_hold_outs_of_programs(*of_kinds[15:17]),
            *_last_hold_outs(*of_kinds[17:]),
            "",
            "## The failures",
            "",
            "| Failure | Source | Cause that is named | Sample |",
            "|---|---|---|---|",
            *(_failure_row(m) for m in results),
            "",
        ]
    )


def _first_try(results: Sequence[Measured]) -> tuple[str, str]:
    """How many causes were named, and how many logs of healthy clusters had no finding."""
    failed = [m for m in results if m.failure.cause is not None]
    normal = [m for m in results if m.failure.cause is None]
    named, silent = (sum(m.failure.first_try is True for m in s) for s in (failed, normal))
    return f"**{named} of {len(failed)}**", f"**{silent} of {len(normal)}**"


def _later_hold_outs(
    second: Sequence[Measured],
    third: Sequence[Measured],
    fourth: Sequence[Measured],
    fifth: Sequence[Measured],
    sixth: Sequence[Measured],
) -> list[str]:
    named, silent = _first_try(second)
    then_named, then_silent = _first_try(third)
    fourth_named, fourth_silent = _first_try(fourth)
    fifth_named, fifth_silent = _first_try(fifth)
    sixth_named, sixth_silent = _first_try(sixth)
    return [
        "The second hold-out was collected to find what the signatures miss: messages that "
        "they did not have, and the warnings that healthy clusters write. At the first try "
        f"{named} causes were named, and {silent} logs of healthy clusters had no finding. The "
        "signatures were then extended for each kind. The third was written after that, from "
        f"messages of the same programs: at the first try {then_named} causes were named, "
        "and "
        f"{then_silent} logs of healthy clusters had no finding. The fourth is mostly of "
        "Kubernetes, file systems in pods, EFA in containers and gres.conf, from public threads: "
        f"at the first try {fourth_named} causes were named, and {fourth_silent} logs of healthy "
        "clusters had no finding. The fifth is of all parts of a cluster, from public threads of "
        "others, and is counted more strictly: a first try is right only if it has the cause and "
        "nothing beside it, and for seven entries whose expectation had matched another kind of "
        "cause or the program's own words, the expectation was narrowed and the first try counts "
        "as wrong. At the first try "
        f"{fifth_named} causes were named, {_FIFTH_WRONG} had another cause or one beside the "
        f"right one, {_FIFTH_UNKNOWN} had none or an unknown one, and {fifth_silent} logs of "
        "healthy clusters had no finding. The sixth is mostly of training programs: checkpoints, "
        "data loaders, libraries that do not fit each other, and their containers, nodes and "
        "pods. It is counted as the fifth, with the expectation narrowed for fifteen entries. At "
        f"the first try {sixth_named} causes were named, {_SIXTH_WRONG} had another cause or one "
        f"beside the right one, {_SIXTH_UNKNOWN} had none, an unknown one or only the program's "
        f"own words, and {sixth_silent} logs of healthy clusters had no finding.",
        "",
    ]


def _hold_outs_of_kinds(
    seventh: Sequence[Measured], eighth: Sequence[Measured], ninth: Sequence[Measured]
) -> list[str]:
    """What was measured before and after the kinds of failure by frames and words."""
    named, silent = _first_try(seventh)
    then_named, then_silent = _first_try(eighth)
    last_named, last_silent = _first_try(ninth)
    return [
        "The seventh is of all parts of a cluster, from threads that no earlier sample has, and "
        "counted as the sixth, with the expectation narrowed for four entries. At the first try "
        f"{named} causes were named, and {silent} logs of healthy clusters had no finding: "
        "signatures written case by case do not generalise. What then was built names the kind "
        "of a failure whose message no signature has: an exception of Python by the package and "
        "the function of its innermost frames and by its words, another program's error by its "
        "form and its words, the statuses of CUDA, NCCL, RDMA, Neuron and Lustre by their "
        "tables, and the end of a program by its signal or exit code.",
        "",
        "The eighth was collected after that, from searches for other subjects, by the person "
        "who had built it, and is counted as strictly: a kind that is not the right one counts "
        "as wrong where it repeats the message, and the expectation was narrowed for fifteen "
        f"entries. At the first try {then_named} causes were named, and {then_silent} logs of "
        "healthy clusters had no finding.",
        "",
        "The ninth was collected after what the eighth led to, in the same way and by the same "
        "person, with the same strictness and its expectations chosen before. At the first try "
        f"{last_named} causes were named, and {last_silent} logs of healthy clusters had no "
        "finding. Most of the others were messages of parts that no sample had before: the "
        "coordinator of JAX, the nodes' daemons of Ray, UCX, modules of cloud-init.",
        "",
    ]


def _hold_outs_of_families(
    tenth: Sequence[Measured], eleventh: Sequence[Measured], twelfth: Sequence[Measured]
) -> list[str]:
    """What was measured before and after the families of errors of one program or service."""
    named, silent = _first_try(tenth)
    then_named, then_silent = _first_try(eleventh)
    last_named, last_silent = _first_try(twelfth)
    return [
        "The tenth is of all parts of a cluster, collected by somebody who had not read the "
        f"signatures, with the same strictness. At the first try {named} causes were named, "
        f"{_TENTH_WRONG} had another cause or one beside the right one, {_TENTH_UNKNOWN} had none "
        f"or an unknown one, and {silent} logs of healthy clusters had no finding. What was then "
        "built names errors by families: the texts of Slurm's table of errors, the codes of AWS's "
        "services and of the Kubernetes API, the statuses of NVML, the messages of PMIx, of "
        "Neuron's runtime and of libfabric, kernel modules, FUSE, images, the texts of errno on a "
        "path, and, at the end of a log, sentences that say what could not be done.",
        "",
        "The eleventh and the twelfth are small, from searches for other subjects made after "
        "that, "
        f"by the same person. At the first try {then_named} and {last_named} causes were named, "
        f"{_ELEVENTH_WRONG} and {_TWELFTH_WRONG} had another cause, {_ELEVENTH_UNKNOWN} and "
        f"{_TWELFTH_UNKNOWN} had none or an unknown one, and {then_silent} and {last_silent} logs "
        "of healthy clusters had no finding. The families did not raise the figure: for failures "
        "and logs that nobody has tried, expect no more than about half.",
        "",
    ]


def _hold_outs_of_others(
    thirteenth: Sequence[Measured], fourteenth: Sequence[Measured]
) -> list[str]:
    """What another author measured, and after what it led to."""
    named, silent = _first_try(thirteenth)
    then_named, _ = _first_try(fourteenth)
    return [
        "The thirteenth is large, of all parts of a cluster, and was collected and measured by "
        f"an author of none of the signatures. At the first try {named} causes were "
        f"named, {_THIRTEENTH_WRONG} had another cause or one beside the right one, "
        f"{_THIRTEENTH_UNKNOWN} had none, an unknown one or only the program's own words, and "
        f"{silent} logs of healthy clusters had no finding. What was then built: the codes of "
        "EKS's health issues, of which every one has a meaning; errors of native libraries by "
        "their own forms (NVIDIA's container hook, cuFile, AWS's common runtime, assertions by "
        "the library that they are in); volumes by the words of the driver behind those of "
        "Kubernetes; the last words of Slurm's daemons by their kind. Four sources of wrong "
        "causes are gone: events of Kubernetes that report no failure, the code of frames that "
        "raise, the words that AWS's SDKs add about a request, and words of a report that has no "
        "reason.",
        "",
        "The fourteenth is of the same searches, and was measured after that: at the first try "
        f"{then_named} causes were named, {_FOURTEENTH_WRONG} had another cause, "
        f"{_FOURTEENTH_UNKNOWN} had none or only the program's own words.",
        "",
    ]


def _hold_outs_of_subjects(
    fifteenth: Sequence[Measured],
    sixteenth: Sequence[Measured],
    seventeenth: Sequence[Measured],
    eighteenth: Sequence[Measured],
    nineteenth: Sequence[Measured],
) -> list[str]:
    """What searches for other programs and parts found, one after another."""
    named, silent = _first_try(fifteenth)
    then_named, _ = _first_try(sixteenth)
    last_named, last_silent = _first_try(seventeenth)
    aws_named, aws_silent = _first_try(eighteenth)
    refused, _ = _first_try(nineteenth)
    return [
        "The fifteenth is from searches for launchers, trainers, the GPU operator, Karpenter, "
        "Kueue and Slurm on other clouds, with messages only as the threads have them: at the "
        f"first try {named} causes were named, and {silent} logs of healthy hosts had no finding "
        "(attempts to log in counted as Slurm's authentication). Eleven whole logs of MLPerf "
        "runs had none either. The sixteenth, of autoscalers, deployments with the CDK, JAX and "
        f"streamed data, was measured after what that led to: {then_named}. The failed resources "
        "that `cdk deploy`, eksctl and ParallelCluster print were then read as the stack events "
        "that they are, and tracebacks in one line with their frames. The seventeenth, of "
        f"Terraform and SageMaker's training jobs, was measured after that: {last_named}, and "
        f"{last_silent} healthy logs without a finding. For subjects that no sample has, expect "
        "between a quarter "
        "and a half.",
        "",
        "The eighteenth is of AWS's own parts (HyperPod, AWS PCS, ParallelCluster, EKS's network "
        "plug-in, nodes and add-ons, FSx, Neuron), from threads that no sample has, counted as "
        f"strictly. At the first try {aws_named} causes were named, {_EIGHTEENTH_WRONG} had "
        "another cause, one beside the right one or only the program's own words, "
        f"{_EIGHTEENTH_UNKNOWN} had none or an unknown one, and {aws_silent} logs of healthy "
        "parts "
        "had no finding: an image that Enroot pulls, the first minute of a node, a node with all "
        "its interfaces, and pods that wait for the first nodes were taken for failures. For one "
        "entry the expectation was widened afterwards; its first try counts as wrong. The "
        "nineteenth, mostly of requests that AWS refuses, was measured after what that led to: "
        f"{refused}.",
        "",
    ]


def _hold_outs_of_operators(
    twentieth: Sequence[Measured], twenty_first: Sequence[Measured]
) -> list[str]:
    """What operators on AWS meet, before and after messages were read by their parts."""
    named, silent = _first_try(twentieth)
    then_named, _ = _first_try(twenty_first)
    size = sum(m.failure.cause is not None for m in twentieth)
    return [
        "The twentieth is of what operators of training clusters on AWS meet after a deployment: "
        "HyperPod, ParallelCluster, Slurm and its accounting, FSx, EFA and NCCL, GPUs, "
        "containers, nodes and add-ons of EKS, Karpenter, Kueue, checkpoints and Neuron. It was "
        "collected by somebody who had not read the signatures, and is counted as strictly, with "
        "the expectation narrowed for four entries and widened for one, whose first tries count "
        f"as wrong. At the first try {named} causes were named, {_TWENTIETH_WRONG} had another "
        f"cause, one beside the right one or only the program's own words, {_TWENTIETH_UNKNOWN} "
        f"had none, and {silent} logs of healthy parts had no finding. Mechanisms that know the "
        "parts of programs, built at the same time by somebody who did not know the sample, name "
        f"**{_TWENTIETH_BY_PARTS} of {size}**, one of them by the widened expectation only. What "
        "was then built reads what programs in Go "
        "write on several lines (panics with their package, the errors behind errors of AWS's "
        "SDK), the conditions that EKS's monitoring agent sets, addresses that AWS gives every "
        "instance, resources of Chef, commands of EFA's driver, the script behind `sudo`, and "
        "the controller behind a message in JSON. The twenty-first, of searches made after that "
        f"by the same person, was measured with both: {then_named}.",
        "",
    ]


def _hold_outs_of_programs(
    twenty_second: Sequence[Measured], twenty_third: Sequence[Measured]
) -> list[str]:
    """The programs of a cluster, before and after lines were asked for the program that wrote
    them.
    """
    named, silent = _first_try(twenty_second)
    then_named, then_silent = _first_try(twenty_third)
    return [
        "The twenty-second is of the programs of a cluster: the GPU operator and its parts, DCGM, "
        "the driver, Kueue, JobSet, MPIJobs, Karpenter, DNS, containers, MUNGE, SSSD, chrony, "
        "MariaDB, Ray, JAX, PyTorch and checkpoints. It was collected before the signatures were "
        "read by the person who then changed them, and is counted as strictly, with the "
        "expectation narrowed for two entries and widened for two, whose first tries count as "
        f"wrong. At the first try {named} causes were named, {_TWENTY_SECOND_WRONG} had another "
        "cause, one beside the right one or only the program's own words, "
        f"{_TWENTY_SECOND_UNKNOWN} had none or an unknown one, and {silent} logs of healthy parts "
        "had no finding. What was then built asks a line first for the program that wrote it, and "
        "that program's parts for what is wrong; it reads the statuses of NVIDIA's driver, the "
        "results and steps of systemd's units, the reasons of events of Kueue, JobSet and "
        "Kubeflow's operators, and the codes of gRPC. The twenty-third, of searches made after "
        f"that by the same person, with two expectations narrowed: {then_named}, and "
        f"{then_silent} logs of healthy parts had no finding.",
        "",
    ]


def _last_hold_outs(
    twenty_fourth: Sequence[Measured],
    twenty_fifth: Sequence[Measured],
    twenty_sixth: Sequence[Measured],
    twenty_seventh: Sequence[Measured],
    twenty_eighth: Sequence[Measured],
    twenty_ninth: Sequence[Measured],
    thirtieth: Sequence[Measured],
    thirty_first: Sequence[Measured],
    thirty_second: Sequence[Measured],
) -> list[str]:
    """All parts again, before and after lists of reasons and chains of errors were read."""
    named, silent = _first_try(twenty_fourth)
    then_named, then_silent = _first_try(twenty_fifth)
    sixth_named, sixth_silent = _first_try(twenty_sixth)
    seventh_named, _ = _first_try(twenty_seventh)
    eighth_named, eighth_silent = _first_try(twenty_eighth)
    ninth_named, ninth_silent = _first_try(twenty_ninth)
    return [
        "The twenty-fourth is of all parts of a cluster, collected before the signatures were "
        "read by the person who then changed them, and is counted as strictly, with the "
        "expectation narrowed for two entries and widened for one, whose first tries count as "
        f"wrong. At the first try {named} causes were named, {_TWENTY_FOURTH_WRONG} had another "
        "cause, one beside the right one or only the program's own words, "
        f"{_TWENTY_FOURTH_UNKNOWN} had none or an unknown one, and {silent} logs of healthy parts "
        "had no finding. What was then built reads the reasons that Slurm itself gives for nodes "
        "as the closed list that they are, the errors behind an operation of the network plug-in, "
        "the results of NCCL that XLA prints, assertions without a file, errors of cgroups and "
        "certificates, and ranks that disagree; what calls a model says no more what failed in "
        "it, and storage that does not answer explains what programs could not do without it. "
        "The twenty-fifth, by the same person after that, is small and has more of what AWS and "
        f"common programs write: {then_named}, and {then_silent} logs of healthy parts had no "
        "finding. The twenty-sixth is of programs that the earlier ones have little of "
        "(Mountpoint, Volcano, Ray, DCGM's modules, sbatch itself), collected by somebody who had "
        f"not read the signatures, with three expectations narrowed: {sixth_named}, "
        f"{_TWENTY_SIXTH_WRONG} with another cause or one beside the right one, "
        f"{_TWENTY_SIXTH_UNKNOWN} with none, and {sixth_silent} logs of healthy "
        "parts without a finding. What was then built reads what a "
        "command of Slurm prints about one request as one report, checks of glog and abseil by "
        "the library that they are in, Mountpoint's warnings by its own list of what it does not "
        "do, and gangs. The twenty-seventh, small and of the same searches, was measured "
        f"after that: {seventh_named}. The twenty-eighth is of training programs and their "
        "launchers (checkpoints, tokenizers, precision, compilers, containers, messages of "
        "operators), collected before the signatures were read, with four expectations narrowed "
        f"and one widened: {eighth_named}, {_TWENTY_EIGHTH_WRONG} with another cause or only the "
        f"program's own words, {_TWENTY_EIGHTH_UNKNOWN} with none, and "
        f"{eighth_silent} healthy logs without a finding. What was then built reads the errors "
        "that safetensors, DeepSpeed's launcher and Inductor list in their sources, the statement "
        "in which CUDA failed, what programs say that refuse their command line by the "
        "library that reads it, manifests that an API server refuses, and the levels of the "
        "CloudWatch agent. The twenty-ninth is of all parts after a deployment (agents, daemons, "
        "network plug-ins, launchers), collected before the signatures were read, with five "
        f"expectations narrowed and one widened: {ninth_named}, {_TWENTY_NINTH_WRONG} with "
        f"another cause or only the program's own words, {_TWENTY_NINTH_UNKNOWN} with none, and "
        f"{ninth_silent} healthy logs without a finding. What was then built knows the agents of "
        "AWS, DCGM, EKS's network plug-in, Karpenter and enroot by the form of their errors and "
        "by the parts that write them, the help texts of MPI by their subject, and the reasons "
        "that AMD's runtime gives; a log that ends with a level of error is no more without a "
        f"finding. {_thirtieth(thirtieth)} {_thirty_first(thirty_first)} "
        f"{_thirty_second(thirty_second)} For failures that nobody has tried, expect about half "
        "to three of five.",
        "",
        "A log that ends with an error whose words tell no kind is reported as an unknown cause, "
        "with the line.",
    ]


def _thirtieth(results: Sequence[Measured]) -> str:
    named, silent = _first_try(results)
    return (
        "The thirtieth is of the same parts, collected before the signatures were read, with "
        f"seven expectations narrowed: {named}, {_THIRTIETH_WRONG} with another cause, several "
        f"findings or only the program's own words, {_THIRTIETH_UNKNOWN} with none, and {silent} "
        "healthy logs without a finding. What was then built reads NVSHMEM by the files of its "
        "source that its errors name, the reasons in cuDNN's own log, errors of AWS as Arrow "
        "writes them, memory of GPUs that other nodes map, and caches of compiled kernels that "
        "processes share; a line that its program calls information is no error for what it "
        "quotes."
    )


def _thirty_first(results: Sequence[Measured]) -> str:
    named, silent = _first_try(results)
    return (
        "The thirty-first is of all parts again, collected before the signatures were read, with "
        f"three expectations narrowed and one widened: {named}, {_THIRTY_FIRST_WRONG} with "
        "another cause, several findings or only the program's own words, "
        f"{_THIRTY_FIRST_UNKNOWN} with none or an unknown one, and {silent} healthy logs without "
        "a finding. What was then built reads objects of JSON that commands print on several "
        "lines as the one message that they are; it names the kind of a log's last error before "
        "it calls it unknown; it knows the kubelet by the files of its source and Fluent Bit by "
        "its plug-ins, and takes AWS's own error code before words of settings, the kind of what "
        "a custom resource answers, and the statuses of DCGM that clients print as text. Whole "
        "logs of nodes (syslog, cloud-init, kubelet) that were tried after it had false causes "
        "by lines of a normal start and of levels below a failure, which are none any more."
    )


def _thirty_second(results: Sequence[Measured]) -> str:
    named, silent = _first_try(results)
    return (
        "The thirty-second is of all parts again, collected and its expectations written before "
        "the signatures were read, with ten expectations narrowed and two widened: "
        f"{named}, {_THIRTY_SECOND_WRONG} with another cause, several findings or only the "
        f"program's own words, {_THIRTY_SECOND_UNKNOWN} with an unknown one, and {silent} healthy "
        "logs without a finding. A sixth log that had been taken for healthy, of a job whose NCCL "
        "uses TCP, has the finding that it should have, and is counted as a wrong first try. What "
        "was then built reads the frames of tracebacks that rich prints in boxes, the errors of "
        "Apptainer and of CDI by what they were doing, what a webhook's controller could not do "
        "itself, the lines of Karpenter's earlier releases, and addresses of stores that a "
        "library does not know; the code that Karpenter adds to every error of a fleet is no more "
        "a lack of capacity."
    )


_NAMES: Final = (
    "first",
    "hold-out",
    "second hold-out",
    "third hold-out",
    "fourth hold-out",
    "fifth hold-out",
    "sixth hold-out",
    "seventh hold-out",
    "eighth hold-out",
    "ninth hold-out",
    "tenth hold-out",
    "eleventh hold-out",
    "twelfth hold-out",
    "thirteenth hold-out",
    "fourteenth hold-out",
    "fifteenth hold-out",
    "sixteenth hold-out",
    "seventeenth hold-out",
    "eighteenth hold-out",
    "nineteenth hold-out",
    "twentieth hold-out",
    "twenty-first hold-out",
    "twenty-second hold-out",
    "twenty-third hold-out",
    "twenty-fourth hold-out",
    "twenty-fifth hold-out",
    "twenty-sixth hold-out",
    "twenty-seventh hold-out",
    "twenty-eighth hold-out",
    "twenty-ninth hold-out",
    "thirtieth hold-out",
    "thirty-first hold-out",
    "thirty-second hold-out",
)
_THIRTY_SECOND_WRONG: Final = 17
_THIRTY_SECOND_UNKNOWN: Final = 1
_THIRTY_FIRST_WRONG: Final = 11
_THIRTY_FIRST_UNKNOWN: Final = 7
_THIRTIETH_WRONG: Final = 8
_THIRTIETH_UNKNOWN: Final = 3
_TWENTY_EIGHTH_WRONG: Final = 9
_TWENTY_EIGHTH_UNKNOWN: Final = 3
_TWENTY_NINTH_WRONG: Final = 10
_TWENTY_NINTH_UNKNOWN: Final = 3
_FIFTH_WRONG: Final = 19
_FIFTH_UNKNOWN: Final = 10
_SIXTH_WRONG: Final = 14
_SIXTH_UNKNOWN: Final = 21
"""Failures of these hold-outs without a right first try; measured once, on 2026-11-24."""
_TENTH_WRONG: Final = 16
_TENTH_UNKNOWN: Final = 14
_ELEVENTH_WRONG: Final = 5
_ELEVENTH_UNKNOWN: Final = 6
_TWELFTH_WRONG: Final = 4
_TWELFTH_UNKNOWN: Final = 4
_THIRTEENTH_WRONG: Final = 29
_THIRTEENTH_UNKNOWN: Final = 16
_FOURTEENTH_WRONG: Final = 4
_FOURTEENTH_UNKNOWN: Final = 4
_EIGHTEENTH_WRONG: Final = 12
_EIGHTEENTH_UNKNOWN: Final = 3
_TWENTIETH_WRONG: Final = 17
_TWENTIETH_UNKNOWN: Final = 7
_TWENTIETH_BY_PARTS: Final = 25
_TWENTY_SECOND_WRONG: Final = 11
_TWENTY_SECOND_UNKNOWN: Final = 6
_TWENTY_FOURTH_WRONG: Final = 9
_TWENTY_FOURTH_UNKNOWN: Final = 4
_TWENTY_SIXTH_WRONG: Final = 6
_TWENTY_SIXTH_UNKNOWN: Final = 3
"""The same of the last ones; measured once, on 2026-11-28, on 2026-11-29 and, the last, on
2026-11-30."""

_TOP: Final = """\
# Failures that `diagnose` names

Generated from `diagnosed-failures.yaml` and the files of its hold-outs beside it by
`python -m tools.docs diagnosed-failures`.

This page measures how many failures after a deployment `clusterwright diagnose` names rightly.
Each failure is given as AWS, Slurm or the node reports it: stack events, cluster events, states,
log lines, accounting. A cause counts as named if the *first* finding has it. Every other finding
is a false cause: consequences, such as cancelled resources or a collective that waits for a dead
rank, must not be findings. Some entries are normal messages of healthy clusters, which must have
none.

Those of the first two samples whose evidence is lines of a node's log, or what the controller
publishes, are also injected into a deployment on the local AWS, where the command reads them with
the APIs of CloudWatch Logs and S3 (`tests/cli/test_diagnose_injected.py`): {injected}. Others are
injected in `tests/cli/test_diagnose.py`. None was tried on AWS.
"""


def _injected() -> str:
    one = INJECTED
    return (
        f"**{one.failures - one.not_named} of {one.failures}** causes are named, "
        f"{one.false_causes} false cause, and {one.healthy} normal logs have no finding"
    )


def _row(name: str, results: Sequence[Measured]) -> str:
    named = sum(m.named for m in results)
    false = sum(len(m.false_causes) for m in results)
    return f"| {name} | {len(results)} | {named} | {false} |"


def _failure_row(result: Measured) -> str:
    failure = result.failure
    if failure.cause is None:
        cause = "none, rightly" if not result.findings else "**a false cause**"
    elif result.named:
        cause = result.findings[0].cause
    else:
        cause = "**not named**"
    sample = _NAMES[failure.sample - 1]
    if failure.first_try is not None:
        sample += ", at the first try" if failure.first_try else ", after an extension"
    cells = (failure.failure, _thread(failure.source), cause, sample)
    return "| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in cells) + " |"


def _thread(source: str) -> str:
    found = re.fullmatch(r"([\w.-]+/[\w.-]+)#(\d+)", source)
    if found is None:
        return source
    return f"[{source}](https://github.com/{found[1]}/issues/{found[2]})"

"""Panics of programs in Go: the message, the package that failed, and the program.

Go's runtime writes the panic, and after it the frames of the goroutine that ended, the innermost
first. Frames above the last `panic(` are functions that were deferred, such as those that report a
panic and panic again. Of the rest, the first outside the standard library and outside libraries
that many programs share is the place. The outermost such frame says which program it is: what is
further in may be a library of that program.

Sources: golang/go, src/runtime/panic.go and traceback.go; kubernetes/apimachinery,
pkg/util/runtime (`Observed a panic`); read 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.wording import meaning_of

HEAD: Final = "go panic: "
_UNNAMED: Final = "a program in Go"
_MOST_LINES: Final = 200
_START: Final = r"(?:^|[\s|│])"
_PANIC: Final = re.compile(_START + r"panic: (?P<message>\S[^\n]{0,200})")
_AGAIN: Final = re.compile(r"\s*\[recovered[^\]\n]*\]\s*$")
_OBSERVED: Final = re.compile(r"Observed a\s*$")
_INNER: Final = re.compile(r"\((?P<message>[^\n]+)\)\s*$")
_SIGNAL: Final = re.compile(_START + r"\[signal SIG[A-Z]+: ")
_GOROUTINE: Final = re.compile(r"\bgoroutine \d+ \[")
_PATH: Final = r"[a-z][\w-]*(?:\.[a-z][\w-]*)+/(?:[\w.~%-]+/)*[\w~%-]+"
_FRAME: Final = re.compile(
    # `host/owner/name/package.(*Type).method(0x1, ...)`; a terminal may break the line at a dot.
    rf"{_START}(?P<package>{_PATH}|main)\. ?(?:\(\*?[^()\s]+\)\.)?[\w.\[\]-]+\("
)
_RAISED: Final = re.compile(_START + r"(?:panic|runtime\.(?:go|sig)?[pP]anic\w*)\(")
_CREATED: Final = re.compile(rf"{_START}created by (?:(?P<package>{_PATH})\.)?")
_SOURCE: Final = re.compile(
    rf"(?:{_START}|/src/|/mod/)(?P<path>[a-z][\w-]*(?:\.[a-z][\w-]*)+/[\w.~%@+/-]+)\.go:\d+"
)
_RELEASE: Final = re.compile(r"@[^/]+")
_LOG_OF: Final = re.compile(r"(?:(?P<tag>[\w.-]+)\[\d+\]: ?|\[pod/(?P<pod>[\w./-]+)\] ?)$")
_HOSTS: Final = frozenset({"github.com", "gitlab.com", "bitbucket.org"})

_LIBRARIES: Final = re.compile(
    # Command lines, logs, errors, servers and clients that many programs share.
    r"(?:golang\.org|google\.golang\.org|gopkg\.in|go\.uber\.org|go\.opentelemetry\.io|"
    r"go\.etcd\.io|k8s\.io/(?:api|apimachinery|apiserver|apiextensions-apiserver|client-go|cli-runtime|"
    r"component-base|component-helpers|controller-manager|cri-api|cri-client|klog|kube-openapi|"
    r"kubelet|utils)|"
    r"sigs\.k8s\.io/(?:controller-runtime|yaml|json|structured-merge-diff)|"
    r"github\.com/(?:spf13|urfave|alecthomas|integrii|jessevdk|sirupsen|go-logr|rs/zerolog|"
    r"pkg/errors|prometheus/(?:client_golang|client_model|common|procfs)|aws/(?:aws-sdk-go(?:-v2)?|"
    r"aws-lambda-go|smithy-go)|awslabs/operatorpkg|samber|grpc-ecosystem|gin-gonic|gorilla|"
    r"labstack|emicklei|google|golang|gogo|hashicorp|fsnotify|cilium/ebpf|vishvananda|"
    r"coreos/go-systemd|godbus|containernetworking/cni|json-iterator|mitchellh|onsi|stretchr|"
    r"NVIDIA/(?:go-nvml|go-nvlib|go-dcgm)|opencontainers/(?:runc/libcontainer|runtime-spec|"
    r"image-spec)))(?:/|$)"
)

PROGRAMS: Final = (
    (r"^github\.com/aws/amazon-vpc-cni-k8s/", "EKS's network plug-in (VPC CNI, aws-node)"),
    (
        r"/(?:eks-node-monitoring-agent|EKSNodeMonitoringAgent)/",
        "EKS's node monitoring agent",
    ),
    (
        r"^github\.com/(?:awslabs/amazon-eks-ami|aws/eks-hybrid)/",
        "nodeadm, which joins nodes to EKS",
    ),
    (r"/eks-pod-identity-agent/", "EKS's Pod Identity agent"),
    (r"/aws-(?:ebs|fsx|efs)-csi-driver/", "the CSI driver of a file system or of EBS"),
    (r"/mountpoint-s3-csi-driver/", "the CSI driver of Mountpoint for S3"),
    (r"/aws-load-balancer-controller/", "the AWS Load Balancer Controller"),
    (r"/(?:aws-)?efa-(?:k8s-)?device-plugin/", "the device plug-in of EFA"),
    (r"^github\.com/NVIDIA/k8s-device-plugin/", "NVIDIA's device plug-in"),
    (r"^github\.com/NVIDIA/nvidia-container-toolkit/", "NVIDIA's container toolkit"),
    (
        r"^(?:github\.com/NVIDIA|sigs\.k8s\.io)/(?:k8s-dra-driver|dra-driver-nvidia)[\w-]*/",
        "NVIDIA's DRA driver",
    ),
    (r"^github\.com/NVIDIA/gpu-operator/", "NVIDIA's GPU operator"),
    (r"^github\.com/NVIDIA/dcgm-exporter/", "DCGM's exporter"),
    (
        r"^(?:sigs\.k8s\.io/karpenter|github\.com/aws/karpenter(?:-core|-provider-aws)?)/"
        r"(?!pkg/apis\b)",
        "Karpenter",
    ),
    (r"^sigs\.k8s\.io/kueue/(?:pkg|cmd)/", "Kueue"),
    (
        r"^github\.com/kubeflow/(?:trainer|training-operator|mpi-operator)/(?:v\d/)?(?:pkg|cmd)/"
        r"(?!apis\b|client\b)",
        "a training operator",
    ),
    (r"^sigs\.k8s\.io/(?:jobset|lws)/(?:pkg|cmd)/", "a controller of jobs"),
    (
        r"^k8s\.io/kubernetes/(?:cmd|pkg)/kubelet/(?!apis\b|client\b|types\b|util\b)",
        "the kubelet",
    ),
    (
        r"^github\.com/containerd/containerd/(?:v\d/)?(?:cmd|internal/cri|pkg/cri|runtime|server|"
        r"services|plugins)/",
        "the container runtime (containerd)",
    ),
    (r"^github\.com/opencontainers/runc/", "runc, which starts containers"),
    (r"^github\.com/coredns/coredns/", "CoreDNS"),
    (r"^k8s\.io/autoscaler/cluster-autoscaler/", "the cluster autoscaler"),
    (r"^github\.com/prometheus/(?:node_exporter|alertmanager)/", "a part of Prometheus"),
    (r"^github\.com/SlinkyProject/slurm-operator/", "the Slurm operator"),
)
"""Packages of Go, and the program that they are of; not those that other programs import."""


@dataclass(frozen=True)
class _Frame:
    """A frame: its package, and where its source is; for `main` empty where nothing says it."""

    package: str
    path: str


class Panics:
    """Reads lines in order; yields a panic with its package and program when its goroutine ends.

    `holds` says that the line that was read is a part of a panic with no meaning of its own.
    """

    def __init__(self) -> None:
        self.holds = False
        self._reset()

    def _reset(self) -> None:
        self._message, self._number, self._label = "", 0, ""
        self._left = 0
        self._recovered = self._in_goroutine = False
        self._frames: list[_Frame] = []
        self._creator = ""
        self._signal: tuple[str, int] | None = None

    def read(self, text: str, number: int) -> Iterator[tuple[str, int]]:
        """Yield the panic that a line ends: its text, and the number of its first line."""
        self.holds = False
        panic = _PANIC.search(text) if "panic: " in text else None
        if panic is not None:
            yield from self._begin(text, panic, number)
            return
        if not self._left:
            return
        self._left -= 1
        if not self._in_goroutine:
            self._in_goroutine = bool(_GOROUTINE.search(text))
            if _SIGNAL.search(text):
                self._signal, self.holds = (text, number), True
        elif not text.strip() or _GOROUTINE.search(text):
            yield from self.end()
            return
        elif (created := _CREATED.search(text)) is not None:
            self._creator = _unescaped(created["package"] or "")
            yield from self.end()
            return
        else:
            self._read_frame(text)
        if not self._left:
            yield from self.end()

    def _begin(self, text: str, panic: re.Match[str], number: int) -> Iterator[tuple[str, int]]:
        message = panic["message"].strip()
        recovered = _AGAIN.search(message)
        if self._left and self._recovered and not self._in_goroutine:
            # It was recovered and raised again: the first is the failure.
            self._recovered = recovered is not None
            return
        yield from self.end()
        message = _AGAIN.sub("", message)
        if _OBSERVED.search(text[: panic.start()]):
            inner = _INNER.search(message)
            message = inner["message"] if inner is not None else message
        label = _LOG_OF.search(text[: panic.start("message") - len("panic: ")])
        self._label = (label["tag"] or label["pod"]) if label is not None else ""
        self._message, self._number, self._left = message, number, _MOST_LINES
        self._recovered = recovered is not None

    def _read_frame(self, text: str) -> None:
        if _RAISED.search(text):
            self._frames.clear()
            return
        frame = _FRAME.search(text)
        if frame is not None:
            package = _unescaped(frame["package"])
            self._frames.append(_Frame(package, "" if package == "main" else package))
            return
        source = _SOURCE.search(text)
        if source is not None and self._frames and self._frames[-1] == _Frame("main", ""):
            self._frames[-1] = _Frame("main", _RELEASE.sub("", source["path"]))

    def end(self) -> Iterator[tuple[str, int]]:
        """Yield the panic that the last line ends; where nothing says its place, only the signal
        that it held.
        """
        own = [f for f in self._frames if not _LIBRARIES.match(f.package)]
        if own:
            program = _program([*own, _Frame(self._creator, self._creator)])
            if program is None:
                program = _UNNAMED + (f" (in the log of {self._label})" if self._label else "")
            yield f"{HEAD}{self._message} in {own[0].package} of {program}", self._number
        elif self._signal is not None:
            yield self._signal
        self._reset()


def _unescaped(package: str) -> str:
    """A package as its users write it: without an escaped dot, or the folder of copied ones."""
    return package.replace("%2e", ".").rpartition("/vendor/")[2]


def _program(frames: Sequence[_Frame]) -> str | None:
    """The program of frames, by where its `main` is or by its outermost frame; None if unknown."""
    mains = [f.path for f in frames if f.package == "main" and f.path]
    if mains:
        return meaning_of(PROGRAMS, mains[-1])
    paths = [f.path for f in frames if f.path and not _LIBRARIES.match(f.path)]
    own = [p for p in paths if _module(p) == _module(paths[-1])]
    return next((name for p in own if (name := meaning_of(PROGRAMS, f"{p}/"))), None)


def _module(package: str) -> str:
    parts = package.split("/")
    return "/".join(parts[: 3 if parts[0] in _HOSTS else 2])

"""Panics of Go: their message, the package that failed, and the program."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.go_panics import HEAD, Panics
from tests.diagnosis.made import findings, of_log

SAID = "runtime error: index out of range [0] with length 0"
KUEUE = "sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).nominate(0xc0003794a0, {0xc000579c30, 0x1})"
KARPENTER = "sigs.k8s.io/karpenter/pkg/controllers/state.(*Cluster).UpdateNode(0xc0003794a0)"
HANDLER = "k8s.io/apimachinery/pkg/util/runtime.HandleCrash({0x0, 0x0, 0x0})"
RECONCILER = (
    "sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Reconcile.func1()"
)
RAISED = "panic({0x1b2c3d?, 0xc0003794a0?})"
CREATED = "created by sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller).Start in goroutine 9"


def trace(*frames: str, said: str = SAID, head: tuple[str, ...] = ()) -> list[str]:
    """A panic with frames, each with the line of its source."""
    lines = [f"panic: {said}", *head, "", "goroutine 1 [running]:"]
    for frame in frames:
        lines += [frame] if frame.startswith("\t") else [frame, "\t/workspace/x/y.go:413 +0x2e5"]
    return lines


def read(*lines: str) -> list[tuple[str, int]]:
    panics = Panics()
    found = [one for number, line in enumerate(lines, 1) for one in panics.read(line, number)]
    return [*found, *panics.end()]


def causes(*lines: str) -> list[str]:
    return [found.cause for found in findings(*of_log("\n".join(lines)))]


def test_panic_has_the_package_of_its_first_frame_outside_the_runtime() -> None:
    lines = trace("runtime.gopanic({0x1b2c3d, 0xc0003794a0})", KUEUE)
    assert read("starting", *lines, "", "other") == [
        (f"{HEAD}{SAID} in sigs.k8s.io/kueue/pkg/scheduler of Kueue", 2)
    ]


def test_labels_of_a_terminal_before_lines_are_no_part() -> None:
    labelled = [f"│ aws-node {line}" for line in trace(KUEUE)]
    assert [number for _, number in read(*labelled)] == [1]


def test_a_panic_without_frames_is_left_to_other_signatures() -> None:
    assert read("panic: error getting instance data", "step 12", "goroutine leak check ok") == []


@pytest.mark.parametrize(
    "frames",
    [
        (HANDLER, KARPENTER),
        (HANDLER, RAISED, KARPENTER),
        (RAISED, HANDLER, RAISED, "runtime.panicmem()", "runtime.sigpanic()", KARPENTER, CREATED),
        (RECONCILER, RAISED, KARPENTER, RECONCILER, CREATED),
        (RECONCILER, KARPENTER),
        ("github.com/acme/guard.Recover()", RAISED, KARPENTER),
        ("go.uber.org/zap/zapcore.CheckWriteAction.OnWrite(0x2)", KARPENTER),
        ("github.com/samber/lo.must({0x1, 0x2})", KARPENTER),
        ("k8s.io/kubernetes/vendor/k8s.io/klog/v2.(*loggingT).output(0x1)", KARPENTER),
        ("gopkg.in/yaml%2ev3.(*parser).parse(0x1)", KARPENTER),
    ],
)
def test_functions_that_handle_panics_and_libraries_are_not_the_place(
    frames: tuple[str, ...],
) -> None:
    (cause,) = causes(*trace(*frames))
    assert cause.startswith("Karpenter crashed (panic): ")
    assert ", in sigs.k8s.io/karpenter/pkg/controllers/state: a defect" in cause


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        (("main.run(0x1)", "github.com/spf13/cobra.(*Command).execute(0x1)"), "main"),
        (("main.run.func1(0x1)", "github.com/acme/cli.Run(0x1)", "main.main()"), "main"),
        (
            ("github.com/acme/truncate/cmd.Run.func1(0x1)", "main.main()"),
            "github.com/acme/truncate/cmd",
        ),
        # A known program's packages in another program.
        (
            (KARPENTER, "github.com/acme/tool/pkg.Run(0x1)", "main.main()"),
            KARPENTER.partition(".(")[0],
        ),
        (
            ("github.com/acme/tool/pkg/prometheus.Scrape(0x1)", CREATED),
            "github.com/acme/tool/pkg/prometheus",
        ),
        (
            ("github.com/containerd/containerd/client.New(0x1)", "main.main()"),
            "github.com/containerd/containerd/client",
        ),
        (("main.main()", "\tgithub.com/acme/gizmo/main.go:12 +0x1"), "main"),
    ],
)
def test_program_that_nothing_names_is_not_named(frames: tuple[str, ...], place: str) -> None:
    (cause,) = causes(*trace(*frames))
    assert (
        cause == f"a program in Go crashed (panic): {SAID}, in {place}: a defect of this version"
    )


@pytest.mark.parametrize(
    ("frames", "program"),
    [
        # runc's library in the kubelet, and an operator that imports another's packages.
        (
            (
                "github.com/opencontainers/runc/libcontainer/cgroups.Get(0x1)",
                "k8s.io/kubernetes/pkg/volume/util.Do(0x1)",
                "created by k8s.io/kubernetes/pkg/kubelet/cm.Start in goroutine 1",
            ),
            "the kubelet",
        ),
        (
            (
                "sigs.k8s.io/jobset/pkg/webhooks.Default(0x1)",
                "github.com/kubeflow/trainer/v2/pkg/runtime.Build(0x1)",
                CREATED,
            ),
            "a training operator",
        ),
        (
            (
                "main.run(0x1)",
                "\t/go/src/github.com/aws/amazon-vpc-cni-k8s/cmd/aws-k8s-agent/main.go:70 +0x1",
                "main.main()",
            ),
            "EKS's network plug-in (VPC CNI, aws-node)",
        ),
        ((KUEUE, "main.main()"), "Kueue"),
    ],
)
def test_outermost_frame_names_the_program(frames: tuple[str, ...], program: str) -> None:
    (cause,) = causes(*trace(*frames))
    assert cause.startswith(f"{program} crashed (panic): {SAID}, in ")


@pytest.mark.parametrize("label", ["nodeadm", "pod/x-1/server"])
def test_program_without_a_name_has_that_of_its_log(label: str) -> None:
    begin = f"[{label}] " if "/" in label else f"Nov 29 10:00:00 ip-10-0-0-1 {label}[31]: "
    (cause,) = causes(*(f"{begin}{line}" for line in trace("main.run(0x1)", "main.main()")))
    assert f"a program in Go (in the log of {label.removeprefix('pod/')}) crashed" in cause


def test_signal_of_a_panic_is_no_second_finding() -> None:
    said = "runtime error: invalid memory address or nil pointer dereference"
    signal = "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]"
    (cause,) = causes(*trace(KUEUE, said=said, head=(signal,)))
    assert cause.startswith("Kueue crashed (panic): runtime error: invalid memory")
    assert causes(*trace(said=said, head=(signal,))) == ["a program crashed (segmentation fault)"]


def test_panic_that_is_reported_recovered_and_raised_again_is_one_finding() -> None:
    reported = [
        f'E1129 10:00:00.000000 1 runtime.go:78] Observed a panic: "index out" ({SAID})',
        *trace(HANDLER, RAISED, KARPENTER)[2:],
    ]
    raised = trace(RAISED, HANDLER, RAISED, KARPENTER, head=("\tpanic: again: x",))
    raised[0] += " [recovered]"
    (cause,) = causes(*reported, *raised, "")
    assert cause.startswith(f"Karpenter crashed (panic): {SAID}, in sigs.k8s.io/karpenter/")


def test_reason_that_a_program_gives_is_no_defect() -> None:
    (cause,) = causes(*trace(KUEUE, said="cannot load the configuration: no such key"))
    assert cause.endswith("no such key, in sigs.k8s.io/kueue/pkg/scheduler")


def test_reason_that_a_signature_knows_is_the_only_finding() -> None:
    lines = trace("main.main()", said="open /etc/x: permission denied")
    assert causes(*lines) == ["file permissions: panic: open /etc/x: permission denied"]

"""The start of nodes: the node program, lifecycle scripts, and what they run.

The node program's lines are those of lifecycle_scripts/clusterwright_node/{main,runner}.py.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis import python_errors
from clusterwright.diagnosis.signature import Signature, Values

_STREAM: Final = (
    "aws logs get-log-events --log-group-name {log_group} --log-stream-name {stream_name} "
    "--region {region}"
)
_CHECK: Final = "clusterwright check {file} --only {rules}"
_JOB: Final = "clusterwright diagnose {file} job {job} --log JOB_OUTPUT"
_EXCEPTION: Final = (
    r"^(?:\S+\s)?(?P<reason>(?:\w+\.)*(?:[A-Z]\w*(?:Error|Exception)|SystemExit|KeyboardInterrupt)"
    r": [^\n]{0,300})"
)
_LONE_EXCEPTION: Final = r"^(?:\S+\s)?(?P<reason>(?:\w+\.)*[A-Z]\w*(?:Error|Exception))$"


def _step(values: Values) -> str:
    step = values["step"]
    reason = values.get("reason", "").strip().rstrip(".")
    return (
        f"step {step} of the node program failed: {reason}"
        if reason
        else (f"step {step} of the node program failed")
    )


_NO_DATA: Final = r"^(?!.*(?:checkpoint|\bckpt|\bshard|data_?set|safetensors|state_dict)).*?"
"""A line that is about no data of a job, which have checksums too."""

SIGNATURES: Final = (
    Signature(
        "both-configurations",
        "HyperPod: the cluster has both a Slurm configuration in the API and a "
        "provisioning_parameters.json",
        (r"cannot include both a SLURM Orchestrator Config",),
        next=("cdk deploy -c config={file} --all",),
        rules=("CW-L011",),
    ),
    Signature(
        "line-endings",
        "a script has Windows line endings (CRLF)[: {path}]",
        (
            r"\^M: bad interpreter|\\r'?: (?:command not found|No such file)|\$'\\r'",
            r"env: ['\"\u2018]?(?:bash|sh|python3?)\\r",
        ),
        next=(_CHECK,),
        rules=("CW-L012",),
    ),
    Signature(
        "bad-interpreter",
        "a script cannot be executed: its interpreter {reason} does not exist on the node",
        (
            r"(?P<reason>/\S+): bad interpreter",
            r"env: ['\"\u2018]?(?P<reason>[\w./-]+)['\"\u2019]?: No such file",
        ),
        next=(_CHECK,),
        rules=("CW-L012", "CW-L013"),
    ),
    Signature(
        "wrong-architecture",
        "a program is built for another processor architecture (exec format error)",
        (r"Exec format error|cannot execute binary file",),
        next=("clusterwright check {file} --only CW-L019",),
    ),
    Signature(
        "kernel-module",
        "a kernel module cannot be built or loaded on the node: the headers of the running kernel are "
        "missing, or it was built for another kernel or compiler: {reason}",
        (
            r"(?P<reason>Unable to load the kernel module '?[\w.-]{1,40}|Bad return status for module build[^\n]{0,80}|"
            r"kernel headers for kernel \S{3,60} cannot be found|kernel package linux-headers-\S{3,60} is not supported|"
            r"could not insert '?(?:nvidia|gdrdrv|efa|ib_|rdma|fuse|overlay|nfs|knem)\w{0,30}'?: [^\n]{3,60}|insmod: ERROR: [^\n]{3,80}|modprobe: (?:FATAL|ERROR): Module (?:nvidia|gdrdrv|efa|ib_|rdma|fuse|overlay|nfs|knem)[^\n]{3,100}|"
            r"\w{2,40}: disagrees about version of symbol|Failed to run `[^`\n]{0,40}dkms [^`\n]{1,80}|"
            r"Kernel preparation unnecessary[^\n]{0,40}failed)",
        ),
        confidence="likely",
        kinds=("log", "daemon"),
        per_node=True,
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "package-lock",
        "the lock of the package manager is held by another process",
        (
            r"Could not get lock /var/lib/(?:dpkg|apt)|Unable to (?:acquire|lock).{0,60}(?:dpkg|"
            r"apt|administration directory)|Waiting for cache lock|another process is using it",
            r"(?:dnf|yum).{0,60}(?:locked by|Another app is currently holding)",
        ),
        confidence="likely",
        next=(
            "fuser --verbose /var/lib/dpkg/lock-frontend",
            "clusterwright diagnose {file} node {node}",
        ),
    ),
    Signature(
        "package",
        "a package cannot be installed or configured[: {package}][, as {needs} is missing][, as what "
        "{unmet} depends on is missing or has another version]",
        (
            r"dpkg: error processing (?:package|archive) (?P<package>\S+)",
            r"^(?:Error: )?(?:Package|Problem): (?P<package>[\w.+-]{3,80}-\d[\w.+-]{0,60})|"
            r"nothing provides (?P<needs>[^\n]{3,80}) needed by|"
            r"(?P<unmet>[\w.+-]{2,60}) : (?:Pre)?Depends: [^\n]{3,120}\bbut ",
            r"%(?:pre|post)\w*\((?P<package>[^)\n]{3,80})\) scriptlet failed",
            r"Error in (?:PRE|POST)\w* scriptlet in rpm package (?P<package>[\w.+-]{2,60})",
            r"unknown package found: (?P<package>\S{2,160})",
            r"error: (?:un)?pack\S* (?:of archive )?failed.{0,40}(?P<package>[\w.-]+\.rpm)",
        ),
        kinds=("log",),
        next=(_STREAM,),
    ),
    Signature(
        "package-signature",
        "the signing key of a package repository is not known to the node, or it is not signed",
        (
            r"NO_PUBKEY|InRelease' is not signed|signatures couldn't be verified|"
            r"GPG (?:check FAILED|error)|Public key for .{0,80}is not installed",
        ),
        kinds=("log",),
        next=("clusterwright artefacts check {file}",),
    ),
    Signature(
        "unit-missing",
        "the service {unit} does not exist on the node",
        (r"Unit (?P<unit>[\w@.-]+?)(?:\.service)? (?:not found|could not be found|is masked)",),
        confidence="likely",
        kinds=("log",),
        next=(_STREAM,),
    ),
    Signature(
        "ansible",
        "a task of Ansible failed: {reason}",
        (
            # What the command said, rather than that it failed.
            r"fatal: \[[^\]]+\]: FAILED! =>[^\n]*?\"(?:stderr|module_stderr)\": \"(?P<reason>[^\"\n]{3,300})",
            r"fatal: \[[^\]]+\]: (?:FAILED|UNREACHABLE)! =>.*?\"msg\": \"(?P<reason>[^\"\n]+)",
        ),
        confidence="likely",
        kinds=("log",),
        next=(_STREAM,),
    ),
    Signature(
        "script-command",
        "a lifecycle script failed: {reason}",
        (
            r"(?P<reason>(?:\S+\.sh|bash|sh|/var/lib/cloud/\S+): line \d+: [^\n]+(?:not found|No such file or "
            r"directory|Permission denied|unbound variable|syntax error)[^\n]*)",
            r"(?P<reason>\S+\.sh: \d+: [^\n]+: not found)",
            # What Chef and Ansible repeat of a shell.
            r"(?:STDERR|stderr): (?P<reason>(?:ba|da)?sh: (?:line \d+: |\d+: )?[^\n]{2,200}: (?:No such file|"
            r"(?:command )?not found|Permission denied)[^\n]{0,40})",
            r"(?P<reason>(?:user|group)(?:add|mod|del): (?!warning)[^\n]*(?:not unique|invalid|"
            r"cannot|does not exist|unable)[^\n]*)",
        ),
        confidence="likely",
        next=(_STREAM, _CHECK),
        rules=("CW-L013",),
        kinds=("log",),
    ),
    Signature(
        "scripts-missing",
        "lifecycle scripts: the script or a file of it does not exist at the S3 path[ {path}]",
        (
            r"(?:NoSuchKey|NoSuchBucket|The specified (?:key|bucket) does not exist|"
            r"\(404\) when calling the (?:HeadObject|GetObject))",
            r"(?:lifecycle scripts?|on_create\.sh|entry ?point)\b[^:]{0,60}(?:not found|does not exist)",
        ),
        next=(_CHECK, "cdk deploy -c config={file} --all"),
        rules=("CW-L011", "CW-L014"),
    ),
    Signature(
        "checksum",
        "a downloaded file has another checksum than the one that was pinned[: {path}]",
        (
            _NO_DATA
            + r"(?:checksum|sha-?256|digest|hash).{0,60}(?:mismatch|differs|does not match|do not "
            r"match|expected|is not)",
            _NO_DATA + r"(?:mismatch|differ\w*|unexpected).{0,40}(?:checksum|sha-?256|digest)",
        ),
        next=("clusterwright artefacts check {file}", _CHECK),
        rules=("CW-L006",),
        kinds=("log", "node-status", "cluster-event"),
    ),
    Signature(
        "deadline",
        "step {step} of the node program did not end before its deadline[: {reason}]",
        (
            r"clusterwright: step (?P<step>[\w-]+) failed(?: on \S+)?: (?:not done after|"
            r"has been blocked in the kernel since its deadline of) (?P<reason>[\d.]+ s\b.*?)"
            r"(?:\. What to do|$)",
        ),
        next=(_STREAM, "clusterwright diagnose {file} node {node}"),
    ),
    Signature(
        "step",
        _step,
        (
            r"clusterwright: step (?P<step>[\w-]+) failed(?: on \S+)?: (?P<reason>.*?)"
            r"(?:\. What to do|$)",
            r"^step (?P<step>[\w-]+) failed: (?P<reason>.*)",
        ),
        next=(_STREAM,),
    ),
    Signature(
        "python",
        python_errors.cause,
        (r"\S",),
        confidence="likely",
        needs="exception",
        next=(_STREAM, _JOB),
        kinds=("log",),
        # A traceback in any log: signatures of programs come first.
        rank=1,
    ),
    Signature(
        "python-line",
        python_errors.cause,
        (_EXCEPTION,),
        confidence="likely",
        next=(_STREAM, _JOB),
        kinds=("log",),
        rank=1,
    ),
    Signature(
        "traceback",
        python_errors.fallback,
        (_EXCEPTION, _LONE_EXCEPTION),
        confidence="likely",
        next=(_STREAM, _JOB),
        kinds=("log",),
        rank=2,
    ),
    Signature(
        "traceback-end",
        python_errors.fallback,
        (r"\S",),
        confidence="likely",
        needs="exception",
        next=(_STREAM, _JOB),
        kinds=("log",),
        rank=2,
    ),
    Signature(
        "script-timeout",
        "the lifecycle scripts took longer than the service waits",
        (
            r"lifecycle.{0,80}(?:timed? ?out|exceeded|took longer|did not (?:complete|finish))",
            r"(?:timed? ?out|exceeded).{0,60}lifecycle",
        ),
        confidence="likely",
        rank=1,
        next=(_STREAM,),
        rules=("CW-L015",),
    ),
    Signature(
        "unit",
        "the service {unit} does not start or ended on the node[: {reason}]",
        (
            r"\b(?P<unit>(?:slurm|munge|sack|mysql|mariadb|chrony|nvidia|amazon|sagemaker|kubelet|"
            r"containerd|docker|dcgm|nv-hostengine|clusterwright|neuron|nfs|autofs|nodeadm|efa|lustre|lnet|sssd|nslcd|"
            r"cloud-|dbus|systemd-(?:networkd|resolved|timesyncd)|NetworkManager)[\w-]*)\.service: "
            r"(?P<reason>Failed[^\n]*|Start request repeated too quickly|(?:Main|Control) process exited, code=\w+, status=[1-9][^\n]*)",
            r"Job for (?P<unit>[\w-]+)\.service failed(?P<reason>[^\n]*)",
            r"(?:Failed to start|Dependency failed for) (?P<unit>(?:slurm|munge|nvidia|kubelet|containerd|docker|"
            r"nodeadm|clusterwright|neuron|efa|amazon|sagemaker)[\w-]*)\.service(?P<reason> - [^\n]{3,80})?",
        ),
        confidence="likely",
        rank=2,
        kinds=("log",),
        next=("clusterwright drift {file}",),
    ),
    Signature(
        "user-data",
        "the node's user data failed: cloud-init ran {script}, which ended with exit code {code}",
        (r"Failed running (?P<script>/var/lib/cloud/\S{1,160}) \[(?P<code>[1-9]\d{0,2})\]",),
        confidence="likely",
        rank=2,
        kinds=("log",),
        next=(_STREAM,),
    ),
    Signature(
        "user-data-module",
        "the node's user data failed: cloud-init could not run {what}; the messages before it say "
        "why",
        (
            r"cc_scripts_user[^\n]{0,40}(?P<what>Failed to run module[^\n]{1,80})",
            r"Running module (?P<what>scripts-[\w-]{1,20})[^\n]{0,160} failed",
            r"Runparts: \d+ failures \((?P<what>[^)\n]{1,80})\)",
        ),
        confidence="likely",
        rank=2,
        kinds=("log",),
        next=(_STREAM,),
    ),
    Signature(
        "training-script",
        "SageMaker: the training script ended with an error; its own messages before this one say why",
        (
            r"ExecuteUserScriptError|AlgorithmError: (?:ExecuteUserScriptError|Exit Code|, exit code)",
        ),
        confidence="likely",
        rank=2,
        kinds=("log", "job"),
        next=(_JOB,),
    ),
    Signature(
        "script-exit",
        "a lifecycle script ended with exit code {code}",
        (
            r"(?:lifecycle|script|on_create\S*|OnCreate|OnNode\w+|custom action|\.sh)\b.{0,120}"
            r"(?:exit(?:ed)?(?: with)?(?: a)?(?: non-?zero)?(?: exit)?(?: code| status)?|"
            r"return(?:ed)? code|status)[ :=]+(?P<code>[1-9]\d*)\b",
        ),
        confidence="likely",
        rank=2,
        next=(_STREAM,),
        kinds=("log", "node-status", "cluster-event", "stack-event", "cluster"),
    ),
    Signature(
        "lifecycle-failed",
        "lifecycle scripts did not run successfully; their log has the reason",
        (r"Lifecycle scripts? (?:did not run successfully|failed)|LifecycleConfig.{0,40}fail",),
        rank=2,
        next=(
            "aws logs describe-log-groups --log-group-name-prefix "
            "/aws/sagemaker/Clusters/{environment}/ --region {region}",
            "clusterwright check {file}",
        ),
    ),
)

"""Settings that every job has, and those of training jobs."""

from __future__ import annotations

from clusterwright.job_templates.settings import Setting

PARTITION = Setting(
    "partition", "text", "Partition of Slurm.  [default: the one with most accelerators]"
)
GROUP = Setting("group", "text", "Group of the spec, where several can run the job.")
NODES = Setting("nodes", "count", "Number of nodes.")
TIME = Setting(
    "time",
    "minutes",
    "Time limit, at most that of the partition and of the run. On Kubernetes training jobs have "
    "none by default.",
)
ACCOUNT = Setting("account", "text", "Slurm account.  [default: that of the user]")
QOS = Setting("qos", "text", "Quality of service of slurm.qos.")
TENANT = Setting("tenant", "text", "On Kubernetes: the tenant, required if the spec has several.")
PRIORITY = Setting(
    "priority", "text", "On Kubernetes: a priority of the spec.  [default: that of the tenant]"
)
RESTARTS = Setting(
    "restarts",
    "count",
    "On Kubernetes with HyperPod, and of a JobSet or TrainJob: restarts after which the operator "
    "gives up.",
    default="100",
)
JOB_KIND = Setting(
    "job_kind",
    "choice",
    "On Kubernetes: the kind of object. `platform`: HyperPodPyTorchJob with HyperPod's training "
    "operator, else PyTorchJob. The stacks install no controller of the others.",
    default="platform",
    choices=("platform", "JobSet", "TrainJob"),
)
RUN = Setting(
    "run",
    "text",
    "Name of the run: of the job, its log and its folder.  [default: the job's name]",
)
ENDS = Setting(
    "capacity_ends",
    "time",
    "When the Capacity Block or the training plan ends, as `clusterwright capacity` shows it.",
)
IMAGE = Setting(
    "image",
    "image",
    "Container image, pinned by digest, or a squashfs file on the shared file system. Required "
    "on Kubernetes, by digest.",
)
ENVIRONMENT = Setting(
    "environment",
    "path",
    "Folder of a Python virtual environment, where no image is used.  "
    "[default: environments/JOB on the shared file system]",
)
INSPECTOR = Setting(
    "inspector",
    "path",
    "The plug-in of NCCL Inspector on the nodes.  [default: with HyperPod that of its images]",
)
CHECKPOINTS = Setting(
    "checkpoints",
    "path",
    "Folder of the run's checkpoints.  [default: below storage.checkpoint_path]",
)
ATTEMPTS = Setting(
    "attempts",
    "count",
    "Starts without a new checkpoint after which the job ends with exit code 93.",
    default="3",
)
SAVE_MINUTES = Setting(
    "save_minutes",
    "count",
    "Minutes before the time limit, and before the capacity ends, at which the run saves.",
)


SLURM_ONLY = frozenset({"partition", "account", "qos", "environment", "inspector"})
KUBERNETES_ONLY = frozenset({"tenant", "priority", "restarts", "job_kind"})
"""Settings that are refused with the other launcher."""


def common_settings(
    own: tuple[Setting, ...], *, image: bool, trains: bool, nccl: bool
) -> tuple[Setting, ...]:
    """Return the settings that a job has beside its own.

    Parameters
    ----------
    own:
        The job's; one of the same name replaces the common one.
    image, trains, nccl:
        Whether it can run in a container, trains, and communicates over NCCL.
    """
    found = [PARTITION, GROUP, NODES, TIME, ACCOUNT, QOS, TENANT, PRIORITY, RUN, ENDS]
    if image:
        found += [IMAGE, ENVIRONMENT]
    if nccl:
        found.append(INSPECTOR)
    if trains:
        found += [CHECKPOINTS, ATTEMPTS, SAVE_MINUTES, RESTARTS, JOB_KIND]
    names = {setting.name for setting in own}
    return tuple(setting for setting in found if setting.name not in names)

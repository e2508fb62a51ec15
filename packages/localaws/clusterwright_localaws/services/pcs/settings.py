"""Slurm's settings that AWS PCS allows, and the rules between settings and version.

The lists are those of the PCS user guide: slurm-custom-settings-cluster, -cng and -queue,
slurmdbd-custom-settings and cgroup-custom-settings. AWS compares the values with Slurm's formats;
here only the values with a rule below are checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright_localaws.services.pcs.state import invalid
from clusterwright_localaws.services.pcs.versions import at_least


def names(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


CLUSTER_SETTINGS: Final = names(
    """
    AccountingStorageEnforce AccountingStorageTRES AccountingStoreFlags AuthAltParameters
    CliFilterParameters CliFilterPlugins CommunicationParameters DefMemPerCPU Epilog
    EnforcePartLimits FairShareDampeningFactor FirstJobId HealthCheckInterval HealthCheckNodeState
    HealthCheckProgram JobRequeue LaunchParameters Licenses MetricsType MinJobAge OverTimeLimit
    PreemptExemptTime PreemptMode PreemptParameters PreemptType PriorityCalcPeriod
    PriorityDecayHalfLife PriorityFavorSmall PriorityFlags PriorityMaxAge PriorityUsageResetPeriod
    PriorityWeightAge PriorityWeightAssoc PriorityWeightFairshare PriorityWeightJobSize
    PriorityWeightPartition PriorityWeightQOS PriorityWeightTRES Prolog PrologFlags RequeueExit
    RequeueExitHold SchedulerParameters SelectTypeParameters SrunPortRange TaskEpilog
    TaskPluginParam TaskProlog TrackWCKey UnkillableStepProgram UnkillableStepTimeout
    """
)
GROUP_SETTINGS: Final = names(
    "CpuSpecList Features Gres MemSpecLimit Parameters RealMemory Sockets Weight"
)
QUEUE_SETTINGS: Final = names(
    """
    AllowAccounts AllowQos Default DefaultTime DenyAccounts DenyQos ExclusiveUser GraceTime MaxTime
    OverSubscribe OverTimeLimit PowerDownOnIdle PreemptMode PriorityJobFactor PriorityTier QOS
    TRESBillingWeights
    """
)
SLURMDBD_SETTINGS: Final = names(
    """
    AllowNoDefAcct AllResourcesAbsolute CommitDelay DefaultQOS MaxQueryTimeRange Parameters
    PrivateData PurgeEventAfter PurgeJobAfter PurgeResvAfter PurgeStepAfter PurgeSuspendAfter
    PurgeTXNAfter PurgeUsageAfter TrackWCKey
    """
)
CGROUP_SETTINGS: Final = names(
    """
    AllowedRAMSpace AllowedSwapSpace ConstrainCores ConstrainDevices ConstrainRAMSpace
    ConstrainSwapSpace IgnoreSystemd MaxRAMPercent MaxSwapPercent MinRAMSpace
    SignalChildrenProcesses
    """
)
# Settings that need a version (the same pages): of a cluster and of a compute node group.
_CLUSTER_SINCE: Final = {"metricstype": "25.11"}
_GROUP_SINCE: Final = {"parameters": "25.11", "sockets": "25.11"}
_SOCKET_VALUES: Final = frozenset({"cr_socket", "cr_socket_memory"})
SOCKETS_SINCE: Final = "25.11"
LEAST_MIN_JOB_AGE_S: Final = 5
# "Your cluster must use Slurm version 25.05 or higher" (user guide, slurm-rest-api).
REST_SINCE: Final = "25.05"
# API model, Accounting: managed accounting came with 24.11 (user guide, slurm-accounting).
ACCOUNTING_SINCE: Final = "24.11"
# API model: "Requires Slurm version 25.11 or later."
GROUP_IDLE_TIME_SINCE: Final = "25.11"
IDLE_TIME_S: Final = 600
_MEMBER: Final = "slurmConfiguration"
_LISTS: Final = (
    ("slurmCustomSettings", CLUSTER_SETTINGS),
    ("slurmdbdCustomSettings", SLURMDBD_SETTINGS),
    ("cgroupCustomSettings", CGROUP_SETTINGS),
)


def check_cluster(configuration: Mapping[str, Any], version: str) -> None:
    """Check the complete Slurm configuration of a cluster.

    Raises
    ------
    AwsError
        ValidationException.
    """
    for name, allowed in _LISTS:
        settings = configuration.get(name)
        if settings is not None:
            _check_list(f"{_MEMBER}.{name}", settings, allowed)
    for setting in configuration.get("slurmCustomSettings") or ():
        _check_cluster_setting(setting, version)
    accounting = configuration.get("accounting") or {}
    if accounting.get("defaultPurgeTimeInDays") == 0:
        raise invalid(
            f"{_MEMBER}.accounting.defaultPurgeTimeInDays",
            "0 isn't a valid value of defaultPurgeTimeInDays.",
        )
    if accounting.get("mode") == "STANDARD" and not at_least(version, ACCOUNTING_SINCE):
        raise _too_old("accounting", ACCOUNTING_SINCE, version)
    rest = configuration.get("slurmRest") or {}
    if rest.get("mode") == "STANDARD" and not at_least(version, REST_SINCE):
        raise _too_old("slurmRest", REST_SINCE, version)


def check_group(configuration: Mapping[str, Any], version: str) -> None:
    """Check the Slurm configuration of a compute node group, without its GRES records.

    Raises
    ------
    AwsError
        ValidationException.
    """
    settings = configuration.get("slurmCustomSettings")
    member = f"{_MEMBER}.slurmCustomSettings"
    if settings is not None:
        _check_list(member, settings, GROUP_SETTINGS)
    for setting in settings or ():
        name = str(setting["parameterName"])
        since = _GROUP_SINCE.get(name.lower())
        if since is not None and not at_least(version, since):
            raise _too_old(name, since, version)
    idle = configuration.get("scaleDownIdleTimeInSeconds")
    if idle == 0:
        raise invalid(
            f"{_MEMBER}.scaleDownIdleTimeInSeconds",
            "0 isn't a valid value of scaleDownIdleTimeInSeconds.",
        )
    if idle not in (None, -1) and not at_least(version, GROUP_IDLE_TIME_SINCE):
        raise _too_old("scaleDownIdleTimeInSeconds", GROUP_IDLE_TIME_SINCE, version)


def check_queue(configuration: Mapping[str, Any]) -> None:
    """Check the Slurm configuration of a queue.

    Raises
    ------
    AwsError
        ValidationException.
    """
    settings = configuration.get("slurmCustomSettings")
    if settings is not None:
        _check_list(f"{_MEMBER}.slurmCustomSettings", settings, QUEUE_SETTINGS)


def values(configuration: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of a custom Slurm setting; Slurm ignores the case of names."""
    return [
        str(setting["parameterValue"])
        for setting in configuration.get("slurmCustomSettings") or ()
        if str(setting["parameterName"]).lower() == name.lower()
    ]


def _check_list(
    member: str, settings: Sequence[Mapping[str, str]], allowed: frozenset[str]
) -> None:
    if not settings:
        raise invalid(member, f"{member} must not be empty.")
    known = {name.lower() for name in allowed}
    seen: set[str] = set()
    for setting in settings:
        name = str(setting["parameterName"])
        if name.lower() not in known:
            raise invalid(
                f"{member}.parameterName",
                f"The parameter {name} isn't supported. Supported: {', '.join(sorted(allowed))}.",
            )
        if name.lower() in seen:
            raise invalid(f"{member}.parameterName", f"The parameter {name} is set twice.")
        seen.add(name.lower())


def _check_cluster_setting(setting: Mapping[str, str], version: str) -> None:
    name, value = str(setting["parameterName"]), str(setting["parameterValue"])
    since = _CLUSTER_SINCE.get(name.lower())
    if since is not None and not at_least(version, since):
        raise _too_old(name, since, version)
    if name.lower() == "communicationparameters" and "enable_http" in value.lower().split(","):
        since = _CLUSTER_SINCE["metricstype"]
        if not at_least(version, since):
            raise _too_old(f"{name}={value}", since, version)
    if name.lower() == "selecttypeparameters":
        sockets = _SOCKET_VALUES & {part.strip() for part in value.lower().split(",")}
        if sockets and not at_least(version, SOCKETS_SINCE):
            raise _too_old(f"{name}={value}", SOCKETS_SINCE, version)
    if name.lower() == "minjobage" and not _is_number(value, LEAST_MIN_JOB_AGE_S):
        raise invalid(
            f"{_MEMBER}.slurmCustomSettings.parameterValue",
            f"{name} must be at least {LEAST_MIN_JOB_AGE_S} seconds, not {value!r}.",
        )


def _is_number(text: str, least: int) -> bool:
    return text.isdecimal() and int(text) >= least


def _too_old(what: str, since: str, version: str) -> Exception:
    return invalid(
        _MEMBER,
        f"{what} requires Slurm version {since} or later; the cluster has {version}.",
    )

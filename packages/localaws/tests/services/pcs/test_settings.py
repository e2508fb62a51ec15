"""Tests of services.pcs.settings and services.pcs.gres, on complete configurations."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.pcs import gres, settings


def custom(**values: str) -> dict[str, Any]:
    """Return a Slurm configuration with custom settings."""
    listed = [{"parameterName": name, "parameterValue": value} for name, value in values.items()]
    return {"slurmCustomSettings": listed}


def records(*stated: dict[str, str], **values: str) -> dict[str, Any]:
    """Return a Slurm configuration with GRES records and custom settings."""
    more = custom(**values) if values else {}
    return {"gresCustomSettings": list(stated), **more}


def message(check: Any, configuration: dict[str, Any], version: str) -> str:
    """Return the message of a refusal."""
    with pytest.raises(AwsError) as caught:
        check(configuration, version)
    assert caught.value.code == "ValidationException"
    return caught.value.message


CLUSTERS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"slurmdbdCustomSettings": []},
        "25.11",
        "slurmConfiguration.slurmdbdCustomSettings must not be empty.",
    ),
    (
        custom(MetricsType="x"),
        "25.05",
        "MetricsType requires Slurm version 25.11 or later; the cluster has 25.05.",
    ),
    (
        custom(CommunicationParameters="enable_http"),
        "25.05",
        "CommunicationParameters=enable_http requires Slurm version 25.11 or later; the cluster "
        "has 25.05.",
    ),
    (
        custom(SelectTypeParameters="CR_Socket_Memory"),
        "25.05",
        "SelectTypeParameters=CR_Socket_Memory requires Slurm version 25.11 or later; the "
        "cluster has 25.05.",
    ),
    (custom(MinJobAge="4"), "25.11", "MinJobAge must be at least 5 seconds, not '4'."),
    (
        {"accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": 0}},
        "25.11",
        "0 isn't a valid value of defaultPurgeTimeInDays.",
    ),
    (
        {"accounting": {"mode": "STANDARD"}},
        "24.05",
        "accounting requires Slurm version 24.11 or later; the cluster has 24.05.",
    ),
    (
        {"slurmRest": {"mode": "STANDARD"}},
        "24.11",
        "slurmRest requires Slurm version 25.05 or later; the cluster has 24.11.",
    ),
    (
        {"slurmCustomSettings": custom(Prolog="/a")["slurmCustomSettings"] * 2},
        "25.11",
        "The parameter Prolog is set twice.",
    ),
]


@pytest.mark.parametrize(("configuration", "version", "expected"), CLUSTERS)
def test_configuration_of_a_cluster_is_refused(
    configuration: dict[str, Any], version: str, expected: str
) -> None:
    assert message(settings.check_cluster, configuration, version) == expected


@pytest.mark.parametrize(
    ("configuration", "version"),
    [
        (custom(Prolog="/a", Epilog="/b", selecttypeparameters="CR_Core"), "24.11"),
        (custom(MetricsType="x", SelectTypeParameters="CR_Socket", MinJobAge="5"), "25.11"),
        (
            {
                "accounting": {"mode": "STANDARD", "defaultPurgeTimeInDays": -1},
                "slurmRest": {"mode": "STANDARD"},
                "cgroupCustomSettings": [
                    {"parameterName": "ConstrainRAMSpace", "parameterValue": "yes"}
                ],
            },
            "25.05",
        ),
    ],
)
def test_configuration_of_a_cluster_is_accepted(
    configuration: dict[str, Any], version: str
) -> None:
    settings.check_cluster(configuration, version)


def test_unknown_parameter_names_the_known_ones() -> None:
    found = message(settings.check_cluster, custom(SlurmctldPort="1"), "25.11")
    assert found.startswith("The parameter SlurmctldPort isn't supported. Supported: Accounting")


GROUPS: list[tuple[dict[str, Any], str, str]] = [
    (
        custom(Sockets="2"),
        "25.05",
        "Sockets requires Slurm version 25.11 or later; the cluster has 25.05.",
    ),
    (
        {"scaleDownIdleTimeInSeconds": 60},
        "25.05",
        "scaleDownIdleTimeInSeconds requires Slurm version 25.11 or later; the cluster has 25.05.",
    ),
    (
        {"scaleDownIdleTimeInSeconds": 0},
        "25.11",
        "0 isn't a valid value of scaleDownIdleTimeInSeconds.",
    ),
]


@pytest.mark.parametrize(("configuration", "version", "expected"), GROUPS)
def test_configuration_of_a_group_is_refused(
    configuration: dict[str, Any], version: str, expected: str
) -> None:
    assert message(settings.check_group, configuration, version) == expected


def test_configuration_of_a_group_is_accepted() -> None:
    settings.check_group({**custom(Weight="1"), "scaleDownIdleTimeInSeconds": -1}, "24.11")
    settings.check_group({**custom(Sockets="2"), "scaleDownIdleTimeInSeconds": 60}, "25.11")


GPU = {"Name": "gpu", "Type": "a100", "File": "/dev/nvidia[0-7]"}
GRES: list[tuple[dict[str, Any], str, str]] = [
    (records(), "25.11", "slurmConfiguration.gresCustomSettings must not be empty."),
    (
        records({"Name": "gpu", "Driver": "x", "File": "/dev/nvidia0"}),
        "25.11",
        "The gres.conf attribute Driver isn't supported.",
    ),
    (
        records({"AutoDetect": "nvml"}),
        "25.05",
        "AutoDetect requires Slurm version 25.11 or later; the cluster has 25.05.",
    ),
    (
        records({"AutoDetect": "off"}),
        "25.11",
        "A gres.conf record must declare a Name or an active AutoDetect value.",
    ),
    (
        records({"Name": "gpu"}),
        "25.11",
        "A GPU record must specify File or MultipleFiles without an active AutoDetect value.",
    ),
    (
        records(GPU, {"AutoDetect": "nvml"}),
        "25.11",
        "A compute node group can have at most one GPU record.",
    ),
    (custom(Gres="gpu:8"), "25.11", "The Gres entry gpu has no record in gresCustomSettings."),
    (
        records(GPU, Gres="gpu:h100:8"),
        "25.11",
        "The Gres entry gpu has the type h100, its record a100.",
    ),
    (
        records({"Name": "licence", "Count": "2"}, Gres="licence:3"),
        "25.11",
        "The Gres entry licence has the count 3, its records 2.",
    ),
]


@pytest.mark.parametrize(("configuration", "version", "expected"), GRES)
def test_gres_is_refused(configuration: dict[str, Any], version: str, expected: str) -> None:
    assert message(gres.check, configuration, version) == expected


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        records(GPU, Gres="gpu:a100:8"),
        records(GPU),
        records({"AutoDetect": "nvml"}, Gres="gpu:1g.10gb:7"),
        records({"Name": "licence", "Count": "2"}, Gres="licence:2"),
        records(GPU, {"Name": "mps", "Count": "100"}, Gres="gpu:8,mps:800"),
    ],
)
def test_gres_is_accepted(configuration: dict[str, Any]) -> None:
    gres.check(configuration, "25.11")

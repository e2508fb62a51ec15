"""Tests of clusterwright.platforms.pcs.settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.platforms.pcs import settings
from clusterwright_localaws.testing import pcs_settings as local
from tests.platforms.pcs.specs import cluster
from tests.support.rich_specs import PCS


def test_lists_are_those_of_the_local_aws() -> None:
    assert settings.SLURM == local.CLUSTER_SETTINGS
    assert settings.SLURMDBD == local.SLURMDBD_SETTINGS
    assert settings.CGROUP == local.CGROUP_SETTINGS
    assert settings.REST_SINCE == local.REST_SINCE


def test_every_setting_of_ours_is_known_to_pcs(tmp_path: Path) -> None:
    found = cluster(tmp_path, PCS)
    names = settings.cluster_settings(found, load_catalog())
    assert set(names) <= settings.SLURM
    assert names["AccountingStorageEnforce"] == "associations,limits,qos"
    assert names["AccountingStorageTRES"] == "gres/gpu"
    for index, partition in enumerate(found.slurm.partitions):
        queue = settings.queue_settings(partition, default=index == 0)
        assert set(queue) <= local.QUEUE_SETTINGS
    for group in found.compute:
        assert set(settings.group_settings(group, load_catalog())) <= local.GROUP_SETTINGS


def test_settings_of_the_spec_take_precedence_whatever_their_case(tmp_path: Path) -> None:
    found = cluster(tmp_path, pcs={"slurm_settings": {"prologflags": "Alloc"}})
    names = settings.cluster_settings(found, load_catalog())
    assert names["prologflags"] == "Alloc"
    assert "PrologFlags" not in names


OWN_OPTIONS = {"communicationparameters": "NoAddrCache"}


@pytest.mark.parametrize(
    ("own", "options"),
    [
        ({}, {"CommunicationParameters": "enable_http"}),
        (OWN_OPTIONS, {"communicationparameters": "NoAddrCache,enable_http"}),
        (
            {"CommunicationParameters": "Enable_HTTP,NoAddrCache"},
            {"CommunicationParameters": "Enable_HTTP,NoAddrCache"},
        ),
    ],
)
def test_slurmctld_serves_its_metrics_if_the_spec_says_so(
    tmp_path: Path, own: dict[str, str], options: dict[str, str]
) -> None:
    metrics = {"slurm_openmetrics": True}
    asked = cluster(
        tmp_path, observability={"metrics": metrics}, pcs={"slurm_settings": own or None}
    )
    names = settings.cluster_settings(asked, load_catalog())
    assert names["MetricsType"] == "metrics/openmetrics"
    assert options.items() <= names.items()
    assert len({name.lower() for name in names}) == len(names)
    local.check_cluster(
        {
            "slurmCustomSettings": [
                {"parameterName": name, "parameterValue": value} for name, value in names.items()
            ]
        },
        asked.pcs.slurm_version,
    )
    off = cluster(tmp_path, observability={"metrics": {**metrics, "listen": "off"}})
    assert "MetricsType" not in settings.cluster_settings(off, load_catalog())
    assert "MetricsType" not in settings.cluster_settings(cluster(tmp_path), load_catalog())


def test_devices_are_named_before_slurm_finds_them(tmp_path: Path) -> None:
    new = cluster(tmp_path)
    old = cluster(tmp_path, pcs={"slurm_version": "25.05"})
    (group,) = (each for each in new.compute if each.role == "compute")
    assert settings.group_settings(group, load_catalog()) == {"Gres": "gpu:8"}
    assert settings.gres_records(new, group, load_catalog()) == [
        {"AutoDetect": "nvml", "Name": "gpu"}
    ]
    assert settings.gres_records(old, group, load_catalog()) == [
        {"Name": "gpu", "Count": "8", "File": "/dev/nvidia[0-7]"}
    ]
    login = next(each for each in new.compute if each.role == "login")
    assert settings.gres_records(new, login, load_catalog()) == []

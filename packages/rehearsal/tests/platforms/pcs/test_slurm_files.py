"""Slurm's files on the controller of AWS PCS."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

from clusterwright_rehearsal.platforms.pcs import slurm_files
from packages.rehearsal.tests.platforms.pcs.orders import group, order, queue


def conf(text: str) -> dict[str, str]:
    """The settings of a slurm.conf that are not records."""
    return dict(
        line.split("=", 1) for line in text.splitlines() if " " not in line or line.count("=") == 1
    )


def test_controller_is_configless_with_the_clusters_key_and_address() -> None:
    found = conf(slurm_files.files(order(), "pcs-train")["slurm.conf"])
    assert found["SlurmctldHost"] == "pcs-train(10.0.0.9)"
    assert found["AuthType"] == "auth/slurm"
    assert "enable_configless" in found["SlurmctldParameters"]
    assert found["SuspendTime"] == "600"
    assert found["AccountingStorageHost"] == "10.0.0.9"
    assert (
        "AccountingStorageHost"
        not in slurm_files.files(order(accounting="NONE"), "pcs-train")["slurm.conf"]
    )


def test_custom_settings_are_kept_apart_from_what_cannot_work_here() -> None:
    found = conf(slurm_files.files(order(), "pcs-train")["slurm.conf"])
    assert found["MinJobAge"] == "60"
    assert found["PrologFlags"] == "Alloc", "slurmd refuses Contain without cgroups"


def test_static_nodes_are_never_powered_down_and_queues_have_their_groups() -> None:
    text = slurm_files.files(order(), "pcs-train")["slurm.conf"]
    assert conf(text)["SuspendExcNodes"] == "login-[1-1],workers-[1-1]"
    (line,) = (line for line in text.splitlines() if line.startswith("PartitionName"))
    assert line == "PartitionName=batch Nodes=workers-[1-3] State=UP Default=YES"
    nodes = [line.split()[0] for line in text.splitlines() if line.startswith("NodeName")]
    assert nodes == ["NodeName=login-[1-1]", "NodeName=workers-[1-3]"]
    assert "CPUs=192" in text


def test_queue_without_possible_nodes_is_left_out() -> None:
    found = order(groups=(group(least=0, most=0),), queues=(queue("empty", "workers"),))
    text = slurm_files.files(found, "pcs-train")["slurm.conf"]
    assert "PartitionName" not in text
    assert "SuspendExcNodes" not in text


def test_gpus_that_slurm_would_find_itself_have_device_files() -> None:
    gres = {
        "slurmCustomSettings": [{"parameterName": "Gres", "parameterValue": "gpu:8"}],
        "gresCustomSettings": [{"AutoDetect": "nvml", "Name": "gpu"}],
    }
    files = slurm_files.files(order(groups=(group(slurmConfiguration=gres),)), "pcs-train")
    assert files["gres.conf"].splitlines() == [
        "AutoDetect=off",
        "NodeName=workers-[1-3] Name=gpu File=/dev/nvidia[0-7]",
    ]
    assert "Gres=gpu:8" in files["slurm.conf"]
    assert conf(files["slurm.conf"])["GresTypes"] == "gpu"


def test_slurmdbd_has_the_custom_settings_and_its_password() -> None:
    text = slurm_files.slurmdbd_conf(order(), "pcs-train", "secret")
    assert "PurgeJobAfter=12\n" in text
    assert "StoragePass=secret\n" in text
    assert "AuthType=auth/slurm\n" in text


def test_programs_of_power_saving_leave_names_for_the_service() -> None:
    programs = slurm_files.programs()
    text = slurm_files.files(order(), "pcs-train")["slurm.conf"]
    for path, program in programs.items():
        assert f"Program={path}\n" in text
        assert f"mktemp -u {slurm_files.REQUESTS}/" in program


def test_changed_version_does_not_change_the_files() -> None:
    """The emulated Slurm has one version: an update restarts nothing by itself."""
    members = {**order().members, "scheduler": {"type": "SLURM", "version": "26.05"}}
    newer = dataclasses.replace(order(), members=members)
    assert slurm_files.files(newer, "x") == slurm_files.files(order(), "x")


def test_request_has_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    """A reader between opening and writing would take an empty file."""
    for name, program in slurm_files.programs().items():
        scontrol = tmp_path / "scontrol"
        scontrol.write_text(f"#!/bin/sh\nls {tmp_path} >{tmp_path}/.seen\necho workers-2\n")
        scontrol.chmod(0o755)
        text = program.replace(slurm_files.REQUESTS, str(tmp_path))
        text = text.replace("/usr/bin/scontrol", str(scontrol))
        subprocess.run(["sh", "-c", text, name, "workers-2"], check=True, timeout=30)
        (request,) = tmp_path.glob(f"{name.rpartition('/')[2]}.*")
        assert request.read_text() == "workers-2\n"
        assert request.name not in (tmp_path / ".seen").read_text()

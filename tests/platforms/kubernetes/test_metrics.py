"""The scrape configuration of nodes and pods, and the exporter on every node."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import SpecErrors
from clusterwright.platforms.kubernetes import metrics
from clusterwright.platforms.kubernetes.metrics import metrics_manifests, scrape_configuration
from clusterwright.platforms.kubernetes.render import APPLIED, manifests
from tests.platforms.kubernetes import validator
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HYPERPOD, IMAGE, OUTPUTS
from tests.support.rich_specs import changed

BOTH = {"prometheus": True, "metrics": {"image": IMAGE, "port": 9200, "interval_seconds": 30}}
OBSERVED = changed(EKS, observability=BOTH)


def jobs(spec: dict[str, Any], load: Load) -> dict[str, dict[str, Any]]:
    document = json.loads(scrape_configuration(load(spec)))
    assert document["global"]["external_labels"] == {"cluster": "test"}
    return {job["job_name"]: job for job in document["scrape_configs"]}


def relabelled(job: dict[str, Any], target: str) -> dict[str, Any]:
    (found,) = [r for r in job["relabel_configs"] if r.get("target_label") == target]
    return dict(found)


@pytest.mark.parametrize(
    ("base", "label"),
    [
        (EKS, "clusterwright_dev_group"),
        (HYPERPOD, "sagemaker_amazonaws_com_instance_group_name"),
    ],
    ids=["eks", "hyperpod-eks"],
)
def test_node_samples_have_the_same_labels_on_all_platforms(
    load: Load, base: dict[str, Any], label: str
) -> None:
    found = jobs(changed(base, observability=BOTH), load)
    assert set(found) == {"kubernetes-apiservers", "containers", "nodes", "kueue"}
    for name in ("containers", "nodes"):
        group = relabelled(found[name], "group")["source_labels"]
        assert group == [f"__meta_kubernetes_node_label_{label}"]
        assert relabelled(found[name], "node")
        assert relabelled(found[name], "instance_id")["regex"] == ".*(i-[0-9a-f]+)"
    # The exporter is scraped at the node's address, and the kubelet through the API server.
    assert relabelled(found["nodes"], "__address__")["replacement"] == "$1:9200"
    path = relabelled(found["containers"], "__metrics_path__")["replacement"]
    assert path == "/api/v1/nodes/$1/proxy/metrics/cadvisor"
    text = json.loads(scrape_configuration(load(OBSERVED)))
    assert text["global"]["scrape_interval"] == "30s"


def test_nodes_are_not_scraped_without_an_image(load: Load) -> None:
    spec = changed(EKS, observability={"prometheus": True})
    assert "nodes" not in jobs(spec, load)
    assert list(metrics_manifests(load(spec))) == []


def test_exporter_runs_on_every_node_without_privileges(load: Load) -> None:
    cluster = load(OBSERVED)
    found = manifests(cluster, load_catalog(), "metrics", OUTPUTS)
    assert [e for m in found for e in validator.errors(m, "1.35")] == []
    everything = [m for p in APPLIED for m in manifests(cluster, load_catalog(), p, OUTPUTS)]
    assert validator.set_errors(everything) == []
    namespace, program, daemons = found
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    pod = daemons["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["tolerations"] == [{"operator": "Exists"}]
    assert pod["automountServiceAccountToken"] is False
    assert container["image"] == IMAGE
    assert "--listen=$(NODE_ADDRESS):9200" in container["command"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert all(mount["readOnly"] for mount in container["volumeMounts"])
    items = pod["volumes"][0]["configMap"]["items"]
    assert {item["path"]: program["data"][item["key"]] for item in items} == (
        metrics.program_files()
    )
    # etcd accepts objects of 1.5 MiB, a ConfigMap has 1 MiB.
    assert sum(map(len, program["data"].values())) < 2**20


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_mounted_program_exports_the_files_of_the_node(load: Load, tmp_path: Path) -> None:
    """The container's command, run with folders as its volumes, and the node's files below one."""
    _, program, daemons = metrics_manifests(load(OBSERVED))
    pod = daemons["spec"]["template"]["spec"]
    for item in pod["volumes"][0]["configMap"]["items"]:
        path = tmp_path / "program" / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(program["data"][item["key"]], encoding="utf-8")
    host = tmp_path / "host"
    for path, text in {
        "proc/loadavg": "1.50 0.70 0.30 2/1200 4242\n",
        "proc/1/mounts": "fs-1.fsx@tcp:/abc /fsx lustre rw 0 0\n",
        "proc/self/mounts": "fs-1.fsx@tcp:/abc /host/fsx lustre rw 0 0\n",
        "sys/class/infiniband/rdmap0s6/device/vendor": "0x1d0f\n",
        "sys/class/infiniband/rdmap0s6/ports/1/state": "4: ACTIVE\n",
        "sys/class/infiniband/rdmap0s6/ports/1/hw_counters/rx_bytes": "123\n",
        "sys/kernel/debug/lustre/llite/abc-ffff9a0c/stats": (
            "snapshot_time 1.0 secs.nsecs\nread_bytes 7 samples [bytes] 4096 1048576 2000000\n"
        ),
    }.items():
        (host / path).parent.mkdir(parents=True, exist_ok=True)
        (host / path).write_text(text, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        {"python3": sys.executable, "--root=/host": f"--root={host}"}.get(
            word, word.replace("$(NODE_ADDRESS):9200", f"127.0.0.1:{port}")
        )
        for word in pod["containers"][0]["command"]
    ]
    variables = {**os.environ, "PYTHONPATH": str(tmp_path / "program")}
    running = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL)
    try:
        answer = _asked(f"http://127.0.0.1:{port}/metrics")
    finally:
        running.terminate()
        running.wait(timeout=10)
    for line in (
        "node_load1 1.5",
        'efa_port_active{device="rdmap0s6",port="1"} 1',
        'efa_rx_bytes_total{device="rdmap0s6",port="1"} 123',
        'lustre_client_bytes_total{fs="abc",operation="read_bytes"} 2000000',
        'clusterwright_source_up{source="lustre"} 1',
    ):
        assert line in answer, answer


def _asked(url: str) -> str:
    ends = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(url, timeout=15) as found:
                return str(found.read().decode())
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("observability", "words"),
    [
        (
            {"metrics": {"image": IMAGE, "listen": "off"}},
            "image has no effect: the exporter is off",
        ),
        (
            {"metrics": {"image": IMAGE, "listen": "loopback"}},
            "a collector scrapes nodes over the network and cannot reach the loopback interface",
        ),
        ({"metrics": {"image": IMAGE, "port": 10250}}, "the kubelet or kube-proxy"),
        ({"metrics": {"image": "python:3"}}, "image"),
        ({"metrics": {"listen": "private"}}, "without `image` nodes have no exporter"),
        ({"prometheus": True, "metrics": {"port": 9200}}, "the exporter, which requires `image`"),
        ({"metrics": {"image": IMAGE, "interval_seconds": 30}}, "requires a Prometheus workspace"),
        (
            {"prometheus": True, "metrics": {"interval_seconds": 29}},
            "intervals of at least 30 seconds",
        ),
    ],
)
def test_metrics_without_an_exporter_are_refused(
    load: Load, observability: dict[str, Any], words: str
) -> None:
    with pytest.raises(SpecErrors, match=words):
        load(changed(EKS, observability=observability))


def test_scrape_interval_is_at_least_thirty_seconds(load: Load) -> None:
    often = {"prometheus": True, "metrics": {"interval_seconds": 30}}
    assert '"scrape_interval": "30s"' in scrape_configuration(
        load(changed(EKS, observability=often))
    )


def test_image_is_refused_on_platforms_without_pods(load: Load) -> None:
    from tests.support.rich_specs import MINIMAL

    with pytest.raises(SpecErrors, match="hyperpod-eks or eks"):
        load(changed(MINIMAL, observability={"metrics": {"image": IMAGE}}))


def test_hyperpod_addon_scrapes_the_nodes(load: Load) -> None:
    with_add_on = {"addons": [{"name": "observability"}]}
    base = changed(
        HYPERPOD, hyperpod=with_add_on, kubernetes={}, compute=EKS["compute"], tenants=[]
    )
    spec = changed(base, observability={"prometheus": True, "metrics": {"interval_seconds": 30}})
    assert not metrics.collected(load(spec))
    with pytest.raises(SpecErrors, match="the observability add-on collects the metrics itself"):
        load(changed(base, observability=BOTH))

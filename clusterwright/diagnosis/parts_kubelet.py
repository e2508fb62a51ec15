"""What the kubelet says by the file of its source and the words of its messages.

Source: kubernetes/kubernetes (pkg/kubelet: names of files, texts of klog's structured messages),
read 2026-11. Kubelets write errors on healthy nodes too, so that these are asked for only where
the node is known to have failed, or where its log ends with the error.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis import grpc_codes
from clusterwright.diagnosis.parts import part
from clusterwright.diagnosis.writer import Writer

KUBELET: Final = Writer(
    "kubelet",
    re.compile(
        r"\bE\d{4} \d\d:\d\d:\d\d[.\d]*\s+\d+ (?P<place>[\w-]+\.go):\d+\] "
        r"\"(?P<message>[^\n]+)"
    ),
    (
        part(
            "a device plug-in on the node ended, was restarted or does not answer, so that its "
            "devices (GPUs, EFA, Neuron) are not given to pods",
            r"device ?plug-?in|ListAndWatch|plugin endpoint|device manager|podDevices",
            r"^(?:endpoint|pod_devices)\.go",
        ),
        part(
            "a CSI driver on the node is not registered, ended or does not answer",
            r"\bCSI\b|csi\.|plugin registration|RegisterPlugin",
            r"^(?:csi_\w+|reconciler_new|goroutinemap)\.go",
        ),
        part(
            "a volume of a pod cannot be attached, mounted or unmounted on the node",
            r"volume",
            r"^(?:nestedpendingoperations|reconciler\w*|desired_state_\w+|volume_manager)\.go",
        ),
        part(
            "an image cannot be pulled",
            r"image|\bpull",
            r"^(?:kuberuntime_image|image_manager)\.go",
        ),
        part(
            "the network of a pod cannot be set up: the network plug-in (CNI) does not answer or "
            "has no configuration",
            r"\bCNI\b|\bcni\b|network (?:is )?not ready|NetworkReady|NetworkPlugin|SetUpPod",
        ),
        part(
            "the container runtime (containerd) does not answer or does not run",
            r"container ?runtime|\bPLEG\b|runtime service|containerd\.sock",
            r"^(?:generic|evented|remote_runtime)\.go",
        ),
        part(
            "the node runs out of disk, memory or processes, and it evicts pods or removes images",
            r"evict|image garbage|disk ?pressure|memory ?pressure|free up|low on",
            r"^(?:eviction_manager|image_gc_manager|helpers)\.go",
        ),
        part(
            "the node does not reach the Kubernetes API, or may not use it: the network to its "
            "endpoint, its certificate or the access entry of its role",
            r"node status|\blease\b|register node|API server|Unable to (?:register|authenticate)|"
            r"\bnode \\?\"\S+ not found|credentials|certificate|Unauthorized|Failed to watch",
            r"^(?:kubelet_node_status|nodelease|reflector|certificate_manager|webhook|"
            r"controller|event)\.go",
        ),
        part(
            "the cgroups of pods cannot be made or read: the driver of cgroups differs from that "
            "of the container runtime, or a controller is missing",
            r"cgroup",
            r"^(?:cgroup_manager\w*|qos_container_manager\w*|container_manager\w*)\.go",
        ),
        part(
            "its settings are not valid, so that it does not start",
            r"command failed|failed to (?:load|parse|run Kubelet|validate)|kubelet config|flag",
            r"^(?:run|server)\.go",
        ),
        part(
            "processors, memory or NUMA nodes cannot be given to a pod as its policy asks",
            r"topology|cpu ?manager|memory ?manager|\bcpuset\b",
            r"^(?:cpu_manager|memory_manager|topology_manager|policy_static|scope\w*)\.go",
        ),
        part(
            "the probe of a container fails",
            r"\bprobe\b",
            r"^(?:prober|worker)\.go",
        ),
    ),
    grpc_codes.meaning,
)

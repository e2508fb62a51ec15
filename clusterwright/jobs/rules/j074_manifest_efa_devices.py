"""EFA devices come from the device plug-in only, not also from a folder of the node."""

from __future__ import annotations

from clusterwright.jobs.manifest_file import text_at
from clusterwright.jobs.rule import Fail, ManifestRule, Manifests, Results
from clusterwright.platforms.kubernetes.groups import EFA

FOLDER = "/dev/infiniband"


class EfaDevices(ManifestRule):
    id = "CW-J074"
    severity = "warning"
    prevents = (
        "libfabric that finds no EFA (fi_info: -61), and collectives over TCP, without a message"
    )
    source = (
        "aws-samples/aws-do-eks#63, measured on B200: the folder has devices of other adapters, "
        "which libfabric cannot open; EKS user guide, EFA: the plug-in mounts the devices"
    )

    def check(self, manifests: Manifests) -> Results:
        for pod in manifests.pods:
            if EFA not in pod.devices:
                continue  # such as a monitor of all adapters
            for volume in pod.volumes:
                path = volume.get("hostPath", "path")
                if path is not None and (text_at(volume, "hostPath", "path") or "").startswith(
                    FOLDER
                ):
                    yield Fail(
                        message=f"the pod mounts {path.text} of its node, which has devices of "
                        "other adapters as well: libfabric may find no EFA",
                        at=path,
                        hint="remove the volume: the plug-in mounts the devices of "
                        "vpc.amazonaws.com/efa",
                    )

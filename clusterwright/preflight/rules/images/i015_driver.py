"""The NVIDIA driver supports the CUDA version of the containers."""

from __future__ import annotations

from clusterwright.catalog import Known
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects, Unknown


class DriverAndCuda(Rule[str]):
    id = "CW-I015"
    prevents = "every job fails: the CUDA driver version is insufficient for the CUDA runtime"
    source = (
        "NVIDIA CUDA Compatibility, minor version compatibility, table 1; containers with "
        "NVIDIA's forward compatibility package are excepted there"
    )

    def subjects(self, context: Context) -> Subjects[str]:
        cuda = context.cluster.slurm.containers.cuda
        if cuda is not None:
            yield ("slurm", "containers", "cuda"), cuda

    def check(self, cuda: str, context: Context) -> Results:
        driver = context.cluster.image.nvidia_driver
        if driver is None:
            yield Unknown(
                message="the spec does not state the NVIDIA driver of the image",
                hint="image: {nvidia_driver: ...}, from HyperPod's release notes",
            )
            return
        major = cuda.partition(".")[0]
        lowest = context.catalog.limit(f"cuda.driver_min_{major}")
        if not isinstance(lowest, Known):
            yield Unknown(
                message=f"the minimum driver of CUDA {major} is unknown: {lowest.reason}"
            )
            return
        branch = int(driver.partition(".")[0])
        if branch < lowest.value:
            yield Fail(
                message=f"containers have CUDA {cuda}, which requires driver branch "
                f"{lowest.value:g} or later; the image has {driver}",
                requested=lowest.value,
                limit=branch,
                hint="use a newer image, or containers with an older CUDA version",
            )

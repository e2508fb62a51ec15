"""The steps of `make setup`, in order."""

from __future__ import annotations

from tools.setup import machines, node, packages, python_environment
from tools.setup.stamps import Step

STEPS = (
    Step(
        "environment",
        "Python environment in .venv/",
        python_environment.inputs,
        python_environment.outputs,
        python_environment.create,
    ),
    Step(
        "uv",
        "installer (uv)",
        packages.uv_inputs,
        packages.uv_outputs,
        packages.install_uv,
        fragile=True,
    ),
    Step(
        "packages",
        "Python packages of requirements/dev.txt",
        packages.packages_inputs,
        packages.packages_outputs,
        packages.install_packages,
        fragile=True,
    ),
    Step(
        "project",
        "clusterwright, localaws and rehearsal, from this checkout",
        packages.project_inputs,
        packages.project_outputs,
        packages.install_project,
        fragile=True,
    ),
    Step("node", "Node", node.node_inputs, node.node_outputs, node.link_node),
    Step("cdk", "CDK command-line tool", node.cdk_inputs, node.cdk_outputs, node.install_cdk),
    Step(
        "old-python",
        "Python 3.10 for tests of the node program",
        node.old_python_inputs,
        node.old_python_outputs,
        node.install_old_python,
    ),
    Step(
        "machines",
        "packages for emulated nodes",
        machines.inputs,
        machines.outputs,
        machines.install,
    ),
)

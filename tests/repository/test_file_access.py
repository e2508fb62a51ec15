"""Files of users are read with a limit and written atomically, both by `clusterwright/files.py`.

Every other access in the product is listed with its reason, function by function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.lint.files import ROOT

ROOMS = (
    "clusterwright",
    "stacks",
    "packages/localaws/clusterwright_localaws",
    "packages/rehearsal/clusterwright_rehearsal",
)
# Programs of the emulated nodes, not of the user's machine.
_NODE_PROGRAMS = "packages/rehearsal/clusterwright_rehearsal/nodes/image/"

_READ = frozenset({"open", "read_bytes", "read_text"})
_WRITE = frozenset({"copy", "copy2", "copyfile", "copytree", "move", "write_bytes", "write_text"})
_BOUNDED = frozenset({"files", "file_access"})

_PACKAGE = "a file of the package"
_TEMPORARY = "a file in a temporary folder that this process made"
_KERNEL = "a file of the kernel, in /proc or /sys"
_REHEARSAL = "a file of the rehearsal's own folder"

ALLOWED = {
    "clusterwright/alerts/reference_page.py": {"page": _PACKAGE},
    "clusterwright/alerts/runbooks_page.py": {"page": _PACKAGE},
    "clusterwright/artefacts/download.py": {
        "_bring": "a download, bounded by LARGEST_BYTES, into a temporary file",
        "_open": "an address, not a file",
        "_read": "digests block by block",
    },
    "clusterwright/aws/operations.py": {"": _PACKAGE},
    "clusterwright/aws/s3.py": {"put_file": "uploads block by block"},
    "clusterwright/aws/user_cache.py": {"read": "bounded, and refuses pipes and other owners"},
    "clusterwright/catalog/building/inputs.py": {
        "rows": _PACKAGE, "document": _PACKAGE, "snapshots": _PACKAGE, "_gzipped": _PACKAGE,
    },
    "clusterwright/catalog/catalog_page.py": {"page": _PACKAGE},
    "clusterwright/catalog/directory.py": {"_put": "staged, then renamed"},
    "clusterwright/catalog/generate.py": {"main": _PACKAGE, "_copy": _PACKAGE},
    "clusterwright/cfn/resource_schemas.py": {
        "__init__": _PACKAGE, "schema_date": _PACKAGE, "_document": _PACKAGE,
        "extension": _PACKAGE,
    },
    "clusterwright/cli/diff_deployed.py": {"_recorded": _TEMPORARY},
    "clusterwright/cli/init_project.py": {"_check_spec": _TEMPORARY},
    "clusterwright/cli/report_files.py": {
        "_read_operations": "its head, then lines of bounded length",
    },
    "clusterwright/cli/standard_streams.py": {"prepare": "the null device"},
    "clusterwright/cluster_spec/init_template.py": {"starting_file": _PACKAGE},
    "clusterwright/cluster_spec/project_template.py": {"project_files": _PACKAGE},
    "clusterwright/diagnosis/log_files.py": {
        "accounting": "bounded by MAXIMUM_SACCT_BYTES, also on nodes",
        "_end": "the last MAXIMUM_BYTES of a log, which may be longer",
        "_early": "what stands before them, block by block",
    },
    "clusterwright/diagnosis/xid.py": {"table": _PACKAGE},
    "clusterwright/job_templates/jobs_page.py": {"page": _PACKAGE},
    "clusterwright/job_templates/program_files.py": {
        "program": _PACKAGE, "node_module": "a file of the checkout that contains the program",
    },
    "clusterwright/job_templates/programs/checkpoint_cleanup.py": {
        "named": "a name of a checkpoint, on a node",
    },
    "clusterwright/job_templates/programs/convert_checkpoint.py": {
        "header": "a header of at most LARGEST_HEADER, on a node",
        "tensors": "an index of a checkpoint, on a node",
        "convert": "a report, renamed with its folder, on a node",
        "complete": "a file of a checkpoint, renamed with its folder, on a node",
    },
    "clusterwright/job_templates/programs/evaluate_checkpoint.py": {
        "results": "of lm_eval, on a node", "evaluate": "results, on a node",
    },
    "clusterwright/job_templates/programs/efa_pairs.py": {"main": "a report, on a node"},
    "clusterwright/job_templates/programs/fio_summary.py": {"results": "of fio, on a node"},
    "clusterwright/job_templates/programs/fsdp2_pretrain.py": {
        "__init__": "tokens, on a node", "saved": "a file of a checkpoint, renamed with it",
        "samples_before": "a file of a checkpoint that it wrote",
    },
    "clusterwright/job_templates/programs/prepare_data.py": {
        "write": "a report, on a node", "read": "a report of its own, on a node",
        "texts": "data of the user, line by line, on a node",
        "write_tokens": "data of the user, on a node",
        "write_lines": "data of the user, on a node",
        "index_tokens": "an index of Megatron-LM, on a node",
        "prepare": "digests, renamed when they are whole, on a node",
        "sync": "a file that it wrote, on a node", "share": "digests that it wrote, on a node",
        "report_task": "a lock, on a node",
    },
    "clusterwright/job_templates/programs/stage_data.py": {
        "main": "a report, on a node", "read_byte": "loads a file of Lustre, on a node",
    },
    "clusterwright/job_templates/slurm.py": {"fragment": _PACKAGE},
    "clusterwright/job_templates/templates/fsdp2.py": {"program": _PACKAGE},
    "clusterwright/jobs/environment_names.py": {"_known": _PACKAGE},
    "clusterwright/jobs/manifest_fields.py": {"_data": _PACKAGE},
    "clusterwright/jobs/rules_page.py": {"page": _PACKAGE},
    "clusterwright/container_images/requirements_files.py": {"requirements": _PACKAGE},
    "clusterwright/monitoring/metrics.py": {"sources": _PACKAGE},
    "clusterwright/platforms/acceptance_checks.py": {"table": _PACKAGE},
    "clusterwright/job_templates/benchmarks.py": {"_table": _PACKAGE},
    "clusterwright/platforms/kubernetes/charts.py": {"listed_charts": _PACKAGE},
    "clusterwright/platforms/kubernetes/kubelet_wait.py": {"script": _PACKAGE},
    "clusterwright/platforms/kubernetes/value_schemas.py": {"value_schema": _PACKAGE},
    "clusterwright/platforms/parallelcluster/update_policies.py": {"policies": _PACKAGE},
    "clusterwright/platforms/software.py": {"model": _PACKAGE},
    "clusterwright/preflight/cdk_plugin.py": {"__init__": "a template that this synthesis wrote"},
    "clusterwright/preflight/registry.py": {"_read": _PACKAGE},
    "clusterwright/preflight/rules_page.py": {"page": _PACKAGE},
    "clusterwright/review/deletion_leftovers.py": {"_table": _PACKAGE},
    "clusterwright/review/synthesis.py": {"_read": "the assembly that our synthesis wrote"},
    "clusterwright/review/update_rules.py": {"_table": _PACKAGE},
    "clusterwright/sizing/calibration.py": {
        "constants": _PACKAGE, "residual_spread": _PACKAGE, "seen_accelerators": _PACKAGE,
        "coverage": _PACKAGE, "benchmarks": _PACKAGE,
        "_write": "a developer's tool; git keeps the file",
    },
    "clusterwright/sizing/cards.py": {"cards": _PACKAGE},
    "clusterwright/sizing/coverage.py": {"public_runs": _PACKAGE},
    "clusterwright/sizing/datasets.py": {"_data": _PACKAGE},
    "clusterwright/sizing/frameworks.py": {"_measured_on_trn1": _PACKAGE},
    "clusterwright/sizing/hardware.py": {"_data": _PACKAGE},
    "clusterwright/sizing/models.py": {"_table": _PACKAGE},
    "stacks/entry.py": {"context_of_cdk_json": "cdk.json, which the CDK itself reads first"},
    "stacks/hyperpod/log_retention.py": {"__init__": _PACKAGE},
    "stacks/hyperpod_eks/inference_permissions.py": {"_statements": _PACKAGE},
    "stacks/hyperpod_eks/node_scripts.py": {"node_scripts": _PACKAGE},
    "stacks/lifecycle/scripts.py": {"write_to": "writes to a folder that this synthesis made"},
    "packages/localaws/clusterwright_localaws/core/answer_checks.py": {
        "tolerated": _PACKAGE, "tolerated_version": _PACKAGE,
    },
    "packages/localaws/clusterwright_localaws/probes/library.py": {"_read": _PACKAGE},
    "packages/localaws/clusterwright_localaws/recordings/calls_file.py": {
        "__init__": "appended call by call: a killed process keeps every complete line",
    },
    "packages/localaws/clusterwright_localaws/server/recording.py": {
        "__init__": "appended call by call: a killed process keeps every complete line",
    },
    "packages/localaws/clusterwright_localaws/server/server.py": {
        "_check_writable": "writes nothing",
    },
    "packages/localaws/clusterwright_localaws/worlds/loading.py": {"load_world": _PACKAGE},
    "packages/rehearsal/clusterwright_rehearsal/artefact_mirror.py": {
        "needed_artefacts": "the assembly that our synthesis wrote",
        "put": "a download, bounded by LARGEST_BYTES",
    },
    "packages/rehearsal/clusterwright_rehearsal/cdk.py": {
        "deploy": _REHEARSAL, "_run": _REHEARSAL,
    },
    "packages/rehearsal/clusterwright_rehearsal/cluster_size.py": {
        "write": _REHEARSAL, "_free_mib": _KERNEL,
    },
    "packages/rehearsal/clusterwright_rehearsal/command.py": {"_check_writable": "writes nothing"},
    "packages/rehearsal/clusterwright_rehearsal/container_stubs.py": {
        "create": _REHEARSAL, "_package": _PACKAGE, "_source": _PACKAGE, "_tar": "in memory",
    },
    "packages/rehearsal/clusterwright_rehearsal/locks.py": {"_locked": "a lock, which is empty"},
    "packages/rehearsal/clusterwright_rehearsal/nodes/images.py": {
        "recipe_digest": _PACKAGE, "_apt_uris": "apt's own sources", "_build": _REHEARSAL,
        "_copy_tree": _PACKAGE, "_mounts_below": _KERNEL, "_lines": _PACKAGE,
    },
    "packages/rehearsal/clusterwright_rehearsal/nodes/log_stream.py": {"__init__": _REHEARSAL},
    "packages/rehearsal/clusterwright_rehearsal/nodes/machines.py": {
        "write_files": _TEMPORARY, "locate": _REHEARSAL, "console": _REHEARSAL,
        "_start": _REHEARSAL, "_write_description": _REHEARSAL, "_environment": _REHEARSAL,
        "set_environment": _REHEARSAL, "_child_of": _KERNEL, "freeze": _KERNEL,
    },
    "packages/rehearsal/clusterwright_rehearsal/nodes/network.py": {"_enter": _KERNEL},
    "packages/rehearsal/clusterwright_rehearsal/platforms/parallelcluster/context.py": {
        "_failure_file": _REHEARSAL,
    },
    "packages/rehearsal/clusterwright_rehearsal/platforms/parallelcluster/node.py": {
        "_write_failure": _REHEARSAL, "_run_script": _REHEARSAL,
    },
    "packages/rehearsal/clusterwright_rehearsal/platforms/pcs/agent.py": {"listen": _REHEARSAL},
    "packages/rehearsal/clusterwright_rehearsal/platforms/pcs/context.py": {"logs_of": _REHEARSAL},
    "packages/rehearsal/clusterwright_rehearsal/platforms/pcs/node.py": {"bootstrap": _REHEARSAL},
    "packages/rehearsal/clusterwright_rehearsal/prerequisites.py": {"has_capability": _KERNEL},
    "packages/rehearsal/clusterwright_rehearsal/prometheus/rendered.py": {
        "panel_queries": _REHEARSAL
    },
    "packages/rehearsal/clusterwright_rehearsal/prometheus/server.py": {
        "_started": _REHEARSAL,
        "_wait_ready": _REHEARSAL,
        "_write": _REHEARSAL,
    },
    "packages/rehearsal/clusterwright_rehearsal/registry.py": {
        "add": _REHEARSAL, "read": _REHEARSAL, "_stat": _KERNEL, "_end_cgroup": _KERNEL,
        "_mount_points": _KERNEL,
    },
    "packages/rehearsal/clusterwright_rehearsal/report/html.py": {"": _PACKAGE},
    "packages/rehearsal/clusterwright_rehearsal/run_records.py": {
        "timeline": _REHEARSAL, "step_results": _REHEARSAL, "failure_logs": _REHEARSAL,
    },
    "packages/rehearsal/clusterwright_rehearsal/runs.py": {
        "raised_inotify_limit": _KERNEL, "restore_sysctls": _KERNEL,
    },
    "packages/rehearsal/clusterwright_rehearsal/scenario_api/command_line.py": {
        "signatures": _REHEARSAL
    },
    "packages/rehearsal/clusterwright_rehearsal/scenario_api/fsdp_job.py": {
        "prepare": _REHEARSAL, "log": _REHEARSAL,
    },
    "packages/rehearsal/clusterwright_rehearsal/scenarios/training.py": {"_report": _REHEARSAL},
    "packages/rehearsal/clusterwright_rehearsal/scenario_api/node.py": {
        "kill_program_at_each": _PACKAGE,
    },
    "packages/rehearsal/clusterwright_rehearsal/worker.py": {"_record_event": _REHEARSAL},
    "packages/rehearsal/clusterwright_rehearsal/worker_client.py": {
        "__init__": _REHEARSAL, "log_tail": _REHEARSAL, "keep": _REHEARSAL,
    },
}  # fmt: skip
"""Module -> function -> why it does not use `clusterwright/files.py`."""


def _modules() -> Iterator[Path]:
    yield ROOT / "app.py"
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(_NODE_PROGRAMS) and name != "clusterwright/files.py":
                yield path


def accesses(text: str) -> set[str]:
    """The functions of a module that open, read or write files by themselves; "" at its top."""
    found: set[str] = set()

    def visit(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            inside = child.name if isinstance(child, ast.FunctionDef) else function
            if isinstance(child, ast.Call) and _touches_a_file(child.func):
                found.add(inside)
            visit(child, inside)

    visit(ast.parse(text), "")
    return found


def _touches_a_file(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == "open"
    if not isinstance(called, ast.Attribute):
        return False
    owner = called.value.id if isinstance(called.value, ast.Name) else None
    if called.attr in ("copy", "copy2", "copyfile", "copytree", "move"):
        return owner == "shutil"
    return called.attr in _READ | _WRITE and owner not in _BOUNDED


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("def f(path):\n    return path.read_text()\n", {"f"}),
        ("def f(path):\n    with open(path) as file:\n        pass\n", {"f"}),
        ("def f(path):\n    path.write_text('a')\n", {"f"}),
        ("class A:\n    def f(self):\n        shutil.copyfile(self.a, self.b)\n", {"f"}),
        ("X = Path(__file__).read_bytes()\n", {""}),
        ("def f(path):\n    files.read_text(path)\n    files.write_over(path, 'a')\n", set()),
        ("def f(a):\n    return a.copy()\n", set()),
    ],
)
def test_the_search_finds_each_kind_of_access(text: str, functions: set[str]) -> None:
    assert accesses(text) == functions


def test_files_of_users_are_read_and_written_in_one_place() -> None:
    found = {}
    for path in _modules():
        name = path.relative_to(ROOT).as_posix()
        functions = accesses(path.read_text())
        if functions:
            found[name] = functions
    expected = {name: set(functions) for name, functions in ALLOWED.items() if functions}
    new = {n: f - expected.get(n, set()) for n, f in found.items() if f - expected.get(n, set())}
    gone = {n: f - found.get(n, set()) for n, f in expected.items() if f - found.get(n, set())}
    assert not new, f"use clusterwright/files.py, or state the reason in ALLOWED: {new}"
    assert not gone, f"remove from ALLOWED: {gone}"

"""Run MLCommons' reference of Llama 3.1 in the processes of a batch job: see mlperf-llama31-*.

The reference, pretrain_llama31.py, describes the run and hands it to NeMo-Run, which copies it to
a cluster over SSH and submits it. Here every process of a step already runs on its node: this
program gives the reference an experiment that runs in its own process, and leaves the rest to it.
It also replaces what the reference writes about the submitter.
Arguments: --reference=DIR --stage=index|train --benchmark --organisation --platform, `--`, then
the reference's own.

Requires NeMo and NeMo-Run, in the reference's image.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from pathlib import Path

SCRIPT = "pretrain_llama31.py"
INDEX = "build_data_index"
MAX_STEPS = 1200000
"""Of llama31_8b: a key that its rules require since 6.0.0, and the reference does not write."""


def experiment(stage, run):
    """A class in place of nemo_run.Experiment, which runs the tasks of a stage in this process."""

    class Experiment:
        def __init__(self, title, *_more, **_others):
            self.title = title
            self.tasks = []

        def __enter__(self):
            return self

        def __exit__(self, *_error):
            return None

        def add(self, task, executor=None, name="", plugins=None):
            self.tasks.append((task, executor, name, plugins or []))

        def dryrun(self):
            for _, _, name, _ in self.tasks:
                print(f"would run {name}", flush=True)

        def run(self, **_more):
            for task, executor, name, plugins in self.tasks:
                if (name == INDEX) != (stage == "index"):
                    continue
                for plugin in plugins:
                    plugin.setup(task, executor)
                # What NeMo-Run would set on the nodes.
                os.environ.update(getattr(executor, "env_vars", None) or {})
                print(f"running {name}", flush=True)
                run(task, direct=True)

    return Experiment


def submission(options):
    """A method in place of MLLogger.submission_info, with the submitter's own values."""

    def submission_info(self):
        self.event(key="submission_benchmark", value=options.benchmark)
        self.event(key="submission_org", value=options.organisation)
        self.event(key="submission_division", value="closed")
        self.event(key="submission_status", value="cloud")
        self.event(key="submission_platform", value=options.platform)
        if options.benchmark == "llama31_8b":
            self.event(key="max_steps", value=MAX_STEPS)

    return submission_info


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--stage", choices=("index", "train"), required=True)
    parser.add_argument("--benchmark", choices=("llama31_8b", "llama31_405b"), required=True)
    parser.add_argument("--organisation", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args(argv)
    sys.path.insert(0, str(options.reference))
    import callbacks
    import nemo_run

    nemo_run.Experiment = experiment(options.stage, nemo_run.run)
    callbacks.MLLogger.submission_info = submission(options)
    sys.argv = [str(options.reference / SCRIPT), *options.arguments]
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Evaluate the newest whole checkpoint of a folder: the program of `evaluate-checkpoint.sbatch`.

It runs lm-evaluation-harness on a checkpoint that Hugging Face Transformers reads, and writes its
results to NAME.evaluation-TASKS.json beside the checkpoint, when they are whole. A checkpoint
that has this file is not evaluated again. Beside it are `stopping.py` and
`checkpoint_cleanup.py`, which knows the checkpoints of a folder.
Exit codes: 0 evaluated, or there is nothing to do; 1 the evaluation failed or has no results; 92
a checkpoint or a file is missing.

Python 3.9; the package lm_eval.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from stopping import EXIT_ENVIRONMENT, StopError, exit_code, newest_checkpoint


def result_path(checkpoint, options):
    """The file of the results: another set of tasks has another one."""
    tasks = re.sub(r"[^A-Za-z0-9_]+", "+", options.tasks)[:100]
    shots = "" if options.num_fewshot is None else f"-{options.num_fewshot}shot"
    limit = "" if options.limit is None else f"-limit{options.limit}"
    return checkpoint.with_name(f"{checkpoint.name}.evaluation-{tasks}{shots}{limit}.json")


def command(checkpoint, options, output):
    """The harness and its arguments."""
    model = [f"pretrained={checkpoint}", "dtype=auto"]
    if options.parallelize:
        model.append("parallelize=True")
    words = [sys.executable, "-m", "lm_eval", "run", "--model", "hf"]
    words += ["--model_args", ",".join(model), "--tasks", options.tasks]
    words += ["--batch_size", options.batch_size, "--output_path", str(output)]
    if options.num_fewshot is not None:
        words += ["--num_fewshot", str(options.num_fewshot)]
    if options.limit is not None:
        words += ["--limit", str(options.limit)]
    if options.include_path is not None:
        words += ["--include_path", options.include_path]
    return words


def results(folder):
    """The harness's document, which is named results_TIME.json or NAME_TIME.json."""
    paths = sorted(folder.glob("results_*.json"))
    if len(paths) != 1:
        raise StopError(f"the harness wrote {len(paths)} files of results")
    try:
        document = json.loads(paths[0].read_text(encoding="utf-8"))
    except ValueError:
        raise StopError(f"{paths[0]} is not JSON") from None
    if not isinstance(document, dict) or not document.get("results"):
        raise StopError(f"{paths[0]} has no results")
    return document


def evaluate(options):
    """Evaluate a checkpoint. Returns the file of its results."""
    checkpoint = newest_checkpoint(options.checkpoints, options.marker)
    final = result_path(checkpoint, options)
    if final.is_file():
        print(f"{final} exists: this checkpoint is evaluated")
        return final
    if not (checkpoint / "config.json").is_file():
        raise StopError(
            f"{checkpoint} has no config.json: convert it with convert-checkpoint",
            EXIT_ENVIRONMENT,
        )
    folder = options.work / "evaluation"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = command(checkpoint, options, folder / "results.json")
    print(" ".join(words), flush=True)
    done = subprocess.run(words, check=False)
    if done.returncode:
        raise StopError(f"lm_eval ended with {done.returncode}")
    document = {
        "schema_version": 1,
        "checkpoint": str(checkpoint),
        "tasks": options.tasks.split(","),
        "harness": results(folder),
    }
    new = final.with_name(f".{final.name}.new")
    new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    new.replace(final)
    print(json.dumps(document["harness"]["results"], indent=2))
    return final


def options_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoints", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--tasks", required=True)
    parser.add_argument("--marker", default="conversion.json")
    parser.add_argument("--batch-size", default="auto")
    parser.add_argument("--num-fewshot", type=int)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--include-path")
    parser.add_argument("--parallelize", action="store_true")
    return parser.parse_args(argv)


def main(argv=None):
    options = options_of(argv)
    return exit_code(lambda: print(f"results: {evaluate(options)}"))


if __name__ == "__main__":
    sys.exit(main())

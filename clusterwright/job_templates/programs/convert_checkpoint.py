"""Convert the newest whole checkpoint of a run: the program of `convert-checkpoint.sbatch`.

It runs the framework's own tool into a folder OUTPUT/.converting-NAME, compares the number of
tensors and their parameters with those of a reference model or with stated ones, and then renames
the folder to OUTPUT/NAME. Nothing is overwritten: a folder NAME with `conversion.json` is
finished, another one ends the job. Beside it are `stopping.py` and `checkpoint_cleanup.py`,
which knows the checkpoints of a folder.
Exit codes: 0 converted, or there is nothing to do; 1 the tool failed or the result is not what was
expected; 92 a checkpoint, folder or file is missing.

Python 3.9, standard library.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

from stopping import EXIT_ENVIRONMENT, StopError, exit_code, newest_checkpoint

REPORT = "conversion.json"
INDEX = "model.safetensors.index.json"
LARGEST_HEADER = 100_000_000
"""Of a safetensors file (huggingface/safetensors, README, Format)."""


def header(path):
    """The tensors of a safetensors file: their shapes by name. Its size has to be right.

    Raises
    ------
    StopError
        The file is shorter or longer than its header says, or has none.
    """
    size = path.stat().st_size
    try:
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > min(LARGEST_HEADER, size):
                raise ValueError
            entries = json.loads(stream.read(length))
        entries.pop("__metadata__", None)
        end = max((entry["data_offsets"][1] for entry in entries.values()), default=0)
        shapes = {name: tuple(entry["shape"]) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StopError(f"{path} is no whole file of safetensors") from None
    if 8 + length + end != size:
        raise StopError(f"{path} has {size} bytes, and its header says {8 + length + end}")
    return shapes


def tensors(folder):
    """The shapes of a folder's tensors by name; an index, if there is one, has the same names."""
    found = {}
    for path in sorted(folder.glob("*.safetensors")):
        for name, shape in header(path).items():
            if name in found:
                raise StopError(f"{folder} has the tensor {name} twice")
            found[name] = shape
    index = folder / INDEX
    if found and index.is_file():
        listed = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"])
        if listed != set(found):
            name = min(listed ^ set(found))
            raise StopError(f"{index} and the files differ in {name}")
    return found


def counts(shapes):
    return len(shapes), sum(math.prod(shape) for shape in shapes.values())


def compared(found, options):
    """Refuse a result that is not what was expected. Returns its two numbers."""
    stated = options.tensors, options.parameters
    number = counts(found)
    if None not in stated:
        expected, of = stated, "stated"
    else:
        reference = tensors(options.reference)
        expected, of = counts(reference), f"of {options.reference}"
        differing = sorted(set(found.items()) ^ set(reference.items()))
        if differing and number == expected:
            raise StopError(f"the tensor {differing[0][0]} has another name or shape")
    if number != expected:
        raise StopError(
            f"the result has {number[0]} tensors with {number[1]} parameters, and {expected[0]} "
            f"with {expected[1]} are {of}"
        )
    return number


def command(options, checkpoint, output):
    """The framework's tool, its arguments, and its modules."""
    tool = str(options.checkout)
    if options.kind == "torchtitan":
        words = [f"{tool}/scripts/checkpoint_conversion/convert_to_hf.py", checkpoint, output]
        words += [f"--hf_assets_path={options.reference}", f"--model_name={options.model_name}"]
        words += [f"--model_flavor={options.model_flavor}", f"--export_dtype={options.dtype}"]
        return words, [tool]
    if not list(checkpoint.glob("**/run_config.yaml")):
        raise StopError(
            f"{checkpoint} has no run_config.yaml: Megatron-Bridge and NeMo write it, and the "
            "tool does not read checkpoints of Megatron-LM without it",
            EXIT_ENVIRONMENT,
        )
    words = [f"{tool}/scripts/conversion/run_conversion.py", "export", "--device=cpu"]
    words += [f"--hf-model={options.reference}", f"--megatron-path={checkpoint}"]
    words += [f"--hf-path={output}", f"--torch-dtype={options.dtype}", "--no-progress"]
    return words, [f"{tool}/src", f"{tool}/3rdparty/Megatron-LM"]


def convert(options):
    """Convert a checkpoint. Returns the report, or None if it was converted before."""
    checkpoint = newest_checkpoint(options.checkpoints, options.marker)
    final = options.output / checkpoint.name
    if (final / REPORT).is_file():
        print(f"{final} is converted")
        return None
    if final.exists():
        raise StopError(f"{final} exists, and has no {REPORT}: nothing is overwritten", 92)
    if not (options.reference / "config.json").is_file():
        raise StopError(f"{options.reference} has no config.json", EXIT_ENVIRONMENT)
    if None in (options.tensors, options.parameters) and not tensors(options.reference):
        raise StopError(
            f"{options.reference} has no *.safetensors to compare with: state the numbers of "
            "tensors and parameters",
            EXIT_ENVIRONMENT,
        )
    part = options.output / f".converting-{checkpoint.name}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    words, modules = command(options, checkpoint, part)
    if not Path(words[0]).is_file():
        raise StopError(f"{words[0]} does not exist", EXIT_ENVIRONMENT)
    path = os.pathsep.join([*modules, *filter(None, [os.environ.get("PYTHONPATH")])])
    print(" ".join(map(str, words)), flush=True)
    done = subprocess.run(
        [sys.executable, *map(str, words)], env={**os.environ, "PYTHONPATH": path}, check=False
    )
    if done.returncode:
        raise StopError(f"the tool ended with {done.returncode}")
    number, parameters = compared(tensors(part), options)
    complete(part, options.reference)
    report = {
        "schema_version": 1,
        "source": str(checkpoint),
        "kind": options.kind,
        "reference": str(options.reference),
        "tensors": number,
        "parameters": parameters,
        "bytes": sum(file.stat().st_size for file in part.glob("*.safetensors")),
    }
    (part / REPORT).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    # A folder that was made meanwhile is not replaced: rename(2) refuses one that is not empty.
    part.rename(final)
    return report


def complete(part, reference):
    """Copy the configuration and the tokeniser of the reference, where the tool wrote none."""
    for path in sorted(reference.iterdir()):
        known = path.suffix in (".json", ".jinja", ".model", ".txt") and path.name != INDEX
        if known and path.is_file() and not (part / path.name).exists():
            shutil.copyfile(path, part / path.name)


def options_of(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoints", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--kind", choices=("torchtitan", "megatron-bridge"), required=True)
    parser.add_argument("--checkout", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--marker", default=".metadata")
    parser.add_argument("--dtype", choices=("float16", "bfloat16", "float32"), default="bfloat16")
    parser.add_argument("--model-name")
    parser.add_argument("--model-flavor")
    parser.add_argument("--tensors", type=int)
    parser.add_argument("--parameters", type=int)
    return parser.parse_args(argv)


def main(argv=None):
    options = options_of(argv)

    def work():
        report = convert(options)
        if report is not None:
            print(json.dumps(report, indent=2))

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env bash
# drift.sh NAME FOLDER: compares the deployed stacks with the file; gate.sh fails on a difference.
#
# Writes drift.json, drift.md and codes into FOLDER.
set -o errexit
set -o nounset
set -o pipefail

name="$1" folder="$2"
mkdir -p "${folder}"
code=0
clusterwright diff "configs/${name}.yaml" --deployed --format json >"${folder}/drift.json" || code=$?
# Exit code 2 may come from an unknown price; failed reads from AWS are recorded separately below.
printf 'diff %s\n' "$((code == 2 ? 0 : code))" >"${folder}/codes"
python3 - "${folder}" <<'PYTHON'
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
answer = json.loads((folder / "drift.json").read_text(encoding="utf-8"))
if "problems" in answer:
    sys.exit("the spec is not valid: see the log")
parts = {"spec": answer["changes"], "resources": answer["resources"], "drift": answer["drift"]}
parts = {name: entries for name, entries in parts.items() if entries}
lines = [f"### {answer['environment']}: {'differs' if parts else 'as in the file'}", ""]
lines += [f"- {name}: {len(entries)}" for name, entries in parts.items()]
lines += [f"- unknown: {entry['what']}" for entry in answer["unknown"]]
(folder / "drift.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
with (folder / "codes").open("a", encoding="utf-8") as codes:
    codes.write(f"drift {1 if parts else 0}\nread {1 if answer['unknown'] else 0}\n")
PYTHON
cat "${folder}/drift.md"

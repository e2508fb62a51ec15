#!/usr/bin/env bash
# The environments of this repository as a JSON list: every configs/NAME.yaml with `environment`.
# Approvals and roles belong to NAME, stacks to `environment`: a file where they differ is refused.
set -o errexit
set -o nounset
set -o pipefail

exec python3 - <<'PYTHON'
import json
import re
import sys
from pathlib import Path

names = []
for file in sorted(Path("configs").glob("[!.]*.yaml")):
    text = file.read_text(encoding="utf-8")
    found = re.search(r"""^environment:\s*["']?([^\s"'#]*)""", text, re.MULTILINE)
    if found is None:
        continue  # base.yaml
    if found.group(1) != file.stem:
        sys.exit(f"error: {file} has the environment {found.group(1)!r} of another file (CW-E010)")
    names.append(file.stem)
print(json.dumps(names))
PYTHON

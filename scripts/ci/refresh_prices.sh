#!/usr/bin/env bash
# refresh_prices.sh FOLDER: reads AWS's list prices of the environments' regions into the catalogue.
#
# Writes changes.json and prices.md into FOLDER, and the catalogue of the checkout (or that of
# CLUSTERWRIGHT_CATALOG). Requires pricing:GetProducts.
set -o errexit
set -o nounset
set -o pipefail

folder="$1"
mkdir -p "${folder}"
regions=()
while IFS= read -r region; do
  regions+=(--region "${region}")
done < <(
  for file in configs/*.yaml; do
    if grep --quiet '^environment:' "${file}"; then
      clusterwright expand "${file}" --format json
    fi
  done | python3 -c '
import json, sys
text, decoder, found = sys.stdin.read().strip(), json.JSONDecoder(), set()
while text:
    spec, end = decoder.raw_decode(text)
    found.add(spec["region"])
    text = text[end:].lstrip()
print("\n".join(sorted(found)))'
)
clusterwright catalog refresh --part prices "${regions[@]}" --write --format json \
  >"${folder}/changes.json"
if [[ -z "${CLUSTERWRIGHT_CATALOG:-}" ]]; then
  # The page of the catalogue lists the prices too.
  python3 -m tools.docs >&2
fi
python3 - "${folder}" <<'PYTHON'
import json
import pathlib
import sys

SHOWN = 200
folder = pathlib.Path(sys.argv[1])
answer = json.loads((folder / "changes.json").read_text(encoding="utf-8"))
changes = answer["changes"]
lines = [f"{len(changes)} facts changed, {answer['confirmed']} confirmed.", ""]
lines += ["| Fact | Before | After |", "| --- | --- | --- |"]
for change in changes[:SHOWN]:
    cells = (change["fact"], change["before"], change["after"])
    shown = ("–" if cell is None else str(cell).replace("|", "\\|") for cell in cells)
    lines.append(f"| {' | '.join(shown)} |")
if len(changes) > SHOWN:
    lines += ["", f"... and {len(changes) - SHOWN} more."]
(folder / "prices.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
PYTHON
cat "${folder}/prices.md"

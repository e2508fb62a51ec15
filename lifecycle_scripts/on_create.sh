#!/usr/bin/env bash
# HyperPod runs this when a node is created (scripted Slurm configuration). All the work is done by the node program.
set -o errexit
set -o nounset
set -o pipefail

here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
readonly here

if ! command -v python3 >/dev/null; then
  echo "clusterwright: step start failed: this image has no python3; use a HyperPod image" >&2
  exit 70
fi

# The folder may be read-only, and a second run must change nothing, byte code included.
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
cd -- "$here"
exec python3 -m clusterwright_node --configuration scripted --inputs "$here" "$@"

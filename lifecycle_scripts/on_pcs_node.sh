#!/usr/bin/env bash
# AWS PCS runs this as a lifecycle action before slurmd starts (nodeBootstrapped). It fetches the
# other scripts, holds them against their manifest, and leaves the work to the node program.
#
#   on_pcs_node.sh s3://BUCKET/PREFIX/ SHA256-OF-THE-MANIFEST GROUP
set -o errexit
set -o nounset
set -o pipefail

# Where tests have their machine; empty on a node.
readonly ROOT="${CLUSTERWRIGHT_TEST_ROOT:-}"
readonly FOLDER="$ROOT/run/clusterwright/lifecycle-action"
readonly MANIFEST=manifest.sha256
# Not in the manifest, and read strictly: deployment.json is known only at deployment, and jobs.json has the numbers of
# nodes, which must not change the arguments of this script, because PCS would replace the instances.
readonly UNLISTED=(! -path ./deployment.json ! -path ./jobs.json)

# What PCS logs of a failure is what was written to standard error.
fail() {
  local words
  words="clusterwright: step start failed on $(uname -n): $2. What to do: $3"
  echo "$words"
  echo "$words" >&2
  exit "$1"
}

fetch() {
  rm -rf -- "$FOLDER"
  mkdir -m 0700 -- "$FOLDER"
  local said
  for pause in 2 4 8 16 0; do
    if said="$(aws s3 cp --recursive --only-show-errors --region "$region" -- "$1" "$FOLDER" 2>&1)"; then
      return
    fi
    sleep "$pause"
  done
  fail 1 "the scripts at $1 cannot be fetched: $(tail -n 1 <<<"$said")" \
    "the nodes' role needs s3:ListBucket of the bucket and s3:GetObject of the prefix, the subnet a route to S3"
}

verify() {
  local found listed
  found="$(sha256sum <"$FOLDER/$MANIFEST" 2>/dev/null | cut -d ' ' -f 1)" ||
    fail 1 "$1 has no $MANIFEST" "deploy again; an object is missing"
  [[ $found == "$2" ]] ||
    fail 1 "$1$MANIFEST has the digest $found, not $2" "find out who has changed the object, then deploy again"
  (cd -- "$FOLDER" && sha256sum --check --strict --quiet "$MANIFEST") ||
    fail 1 "scripts at $1 are not those of the deployment, see above" "find out who has changed them, then deploy again"
  # Nothing else either: the program would run a step that lies among its steps.
  listed="$(cut -d ' ' -f 3- "$FOLDER/$MANIFEST" | sort)"
  found="$(cd -- "$FOLDER" && find . ! -type d ! -path "./$MANIFEST" "${UNLISTED[@]}" -printf '%P\n' | sort)"
  [[ $found == "$listed" ]] ||
    fail 1 "$1 holds what the deployment did not put there: $(comm -3 <(echo "$found") <(echo "$listed") | head -n 3 | xargs)" \
      "find out who has, remove it, then deploy again"
}

[[ $# -ge 3 ]] || fail 3 "$# arguments, and 3 are wanted" "give the lifecycle action SCRIPTS-URI, MANIFEST-SHA256 and GROUP"
source_uri="${1%/}/"
manifest_sha256="$2"
shift 2

export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
for command in aws curl flock python3 sha256sum; do
  command -v "$command" >/dev/null || fail 70 "this image has no $command" "use an image of AWS PCS"
done

# The instance metadata service, in version 2 of it: no file of the image says the region.
readonly IMDS="${CLUSTERWRIGHT_TEST_IMDS:-http://169.254.169.254}/latest"
unreachable() {
  fail 1 "the instance metadata service does not say the region" "the launch template must enable it"
}
token="$(curl -fsS -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' "$IMDS/api/token")" || unreachable
region="$(curl -fsS -H "X-aws-ec2-metadata-token: $token" "$IMDS/meta-data/placement/region")" || unreachable

# Another run may be at work in the same folder: a boot and an update can meet.
mkdir -p "${FOLDER%/*}"
exec 9>"$FOLDER.lock"
flock --wait 1800 9 || fail 1 "another run of the lifecycle action has not ended in 30 minutes" "see what it waits for"
fetch "$source_uri"
verify "$source_uri" "$manifest_sha256"

words=()
for word in "$@"; do
  words+=(--group "$word")
done
# A second run must change nothing, byte code included.
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
cd -- "$FOLDER"
exec python3 -m clusterwright_node --configuration pcs --inputs "$FOLDER" --root "$ROOT/" "${words[@]}"

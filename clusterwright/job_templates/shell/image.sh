# shellcheck shell=bash
# Import of a container image: once per cluster, to the shared file system, not once per node.
# `docker://REGISTRY#REPOSITORY:sha256:DIGEST` is how Enroot takes a digest (NVIDIA/enroot,
# src/docker.sh: the tag may contain colons, and is a part of the manifest's address).
# shellcheck disable=SC2034,SC2153,SC2154,SC2329
# -- begin
import_image() {
  local lock="$IMAGE.lock"
  mkdir --parents "${IMAGE%/*}" "$ENROOT_CACHE_PATH" "$ENROOT_TEMP_PATH"
  exec {image_lock}>"$lock"
  flock "$image_lock"
  if [[ ! -s "$IMAGE" ]]; then
    say "importing $IMAGE_URI"
    rm --force "$IMAGE.part"
    if ! enroot import --output "$IMAGE.part" "$IMAGE_URI" || [[ ! -s "$IMAGE.part" ]]; then
      rm --force "$IMAGE.part"
      fail "$EXIT_ENVIRONMENT" "the import of $IMAGE_URI failed"
    fi
    mv "$IMAGE.part" "$IMAGE"
  fi
  exec {image_lock}>&-
}

#!/usr/bin/env bash
# On a new node of an EKS cluster, before it joins: local NVMe disks as one file system at a path.
# HyperPod runs <group>.sh, which calls this with what the group asks for:  on_create.sh --scratch PATH
#
# A second run changes nothing, and completes one that was ended at any point. A disk with data that this script did
# not write is never changed. The last line of a failed run states the reason.
set -o errexit
set -o nounset
set -o pipefail

readonly image_mount=/opt/dlami/nvme
readonly image_service=dlami-nvme.service
readonly array=/dev/md/clusterwright-scratch
readonly label=cw-scratch               # XFS takes 12 characters
readonly root="${CLUSTERWRIGHT_ROOT:-}" # for tests: files are below it
readonly started="$root/var/lib/clusterwright/scratch.disks"
readonly wait_seconds="${CLUSTERWRIGHT_WAIT_SECONDS:-300}"

say() {
  printf 'clusterwright: %s\n' "$*"
}

fail() {
  say "failed: $1. What to do: $2" >&2
  exit 1
}

main() {
  [[ $# -eq 2 && $1 == --scratch && $2 == /?* ]] ||
    fail "called with: $*" "the only option is --scratch PATH; deploy again"
  scratch "$2"
  say "ready"
}

scratch() {
  local path=$1
  wait_for_image
  if mountpoint --quiet "$root$path"; then
    say "$path is mounted already"
    return
  fi
  mkdir -p "$root$path"
  if in_fstab "$path"; then
    mount_again "$path"
    return
  fi
  if mountpoint --quiet "$root$image_mount"; then
    mount_at "$path" "$image_mount" none "bind,nofail,x-systemd.requires=$image_service"
    say "$path is the image's $image_mount"
    return
  fi
  local -a disks
  mapfile -t disks < <(instance_store_disks)
  [[ ${#disks[@]} -gt 0 ]] ||
    fail "this instance type has no instance-store disk" "remove scratch from the group, or choose another type"
  local device=${disks[0]}
  if was_started_with "${disks[@]}"; then
    erase "${disks[@]}"
  else
    refuse_what_holds_data "${disks[@]}"
    record_start "${disks[@]}"
  fi
  if [[ ${#disks[@]} -gt 1 ]]; then
    mdadm --create "$array" --run --level=0 --metadata=1.2 --homehost=any --name=clusterwright-scratch \
      --raid-devices=${#disks[@]} "${disks[@]}" ||
      fail "mdadm made no array of ${disks[*]}" "see dmesg; replace the node"
    device=$array
  fi
  mkfs.xfs -L "$label" "$device" || fail "$device took no file system" "see dmesg; replace the node"
  udevadm settle
  mount_at "$path" "LABEL=$label" xfs "noatime,nofail"
  chmod 1777 "$root$path"
  say "$path is ${#disks[@]} local disks"
}

# The image's own service may still be at work on the same disks.
wait_for_image() {
  local waited=0
  while [[ "$(systemctl is-active "$image_service" || true)" == activating ]]; do
    [[ $waited -lt $wait_seconds ]] ||
      fail "$image_service is still activating after $wait_seconds s" "see: systemctl status $image_service"
    sleep 2
    waited=$((waited + 2))
  done
}

instance_store_disks() {
  # EC2's names of NVMe controllers: EBS volumes say "Amazon Elastic Block Store".
  lsblk --nodeps --noheadings --paths --output NAME,MODEL |
    awk '/Amazon EC2 NVMe Instance Storage/ { print $1 }' | sort
}

refuse_what_holds_data() {
  local disk written
  for disk in "$@"; do
    written=$(wipefs --no-act --noheadings "$disk") || fail "$disk cannot be read" "replace the node"
    [[ -z $written ]] ||
      fail "$disk holds something that this script did not write" "replace the node, or remove scratch"
  done
}

# An earlier run found these disks empty, and ended before the file system was in fstab: nobody has written to it.
was_started_with() {
  [[ -f $started && "$(<"$started")" == "$*" ]]
}

record_start() {
  mkdir -p "${started%/*}"
  printf '%s\n' "$*" >"$started.new"
  mv --force "$started.new" "$started"
}

erase() {
  mdadm --stop "$array" >/dev/null 2>&1 || true # there may be none
  wipefs --all --quiet "$@" || fail "$* cannot be erased" "replace the node"
}

in_fstab() {
  grep --quiet --fixed-strings " $1 " "$root/etc/fstab"
}

mount_again() {
  systemctl daemon-reload
  mount "$1" || fail "$1 cannot be mounted" "see dmesg; replace the node"
  chmod 1777 "$root$1"
  say "$1 is mounted again"
}

# Into fstab, so that a reboot mounts it again, and at once.
mount_at() {
  local path=$1 source=$2 kind=$3 options=$4
  printf '%s %s %s %s 0 0\n' "$source" "$path" "$kind" "$options" >>"$root/etc/fstab"
  systemctl daemon-reload
  mount "$path" || fail "$path cannot be mounted" "see dmesg; replace the node"
}

main "$@"

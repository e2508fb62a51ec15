#!/bin/sh
# Delays the kubelet of a node that rebooted until the control plane has said that the node is not ready.
#
#   kubelet_wait.sh        in the first boot, before the kubelet runs: installs the rest
#   kubelet_wait.sh wait   what the unit runs before the kubelet, once in each boot
#
# The kubelet adds the taint of nodes that are not accepted only when a node registers. In a later boot
# Deployment/acceptance-hold adds it, because the node is not ready meanwhile, and evicts the pods that were bound to
# it before. A kubelet that returned earlier would start them. It is silent at least since the kernel started, so it
# starts when the kernel has run for long enough.
set -o errexit
set -o nounset

# --node-monitor-grace-period of kube-controller-manager: 40 s by default, 50 s in later versions; EKS's is unknown.
readonly grace_seconds=50
# It looks every 5 s (--node-monitor-period): so much later it may see the last heartbeat, and then the silence.
readonly look_seconds=10
# The Deployment notices a lost connection after this time (SILENT_SECONDS of its program).
readonly watch_seconds=35
# For its request, and a busy control plane.
readonly margin_seconds=5
readonly wait_seconds=$((grace_seconds + look_seconds + watch_seconds + margin_seconds))

readonly root="${CLUSTERWRIGHT_ROOT:-}" # for tests: files are below it
readonly program=/usr/local/lib/clusterwright/kubelet_wait.sh
readonly unit=clusterwright-kubelet-wait.service
readonly first_boot="$root/var/lib/clusterwright/first-boot"
readonly boot_id="$root/proc/sys/kernel/random/boot_id"

say() {
  printf 'clusterwright: %s\n' "$*"
}

main() {
  if [ $# -eq 0 ]; then
    install_unit "$0"
  elif [ "$*" = wait ]; then
    wait_for_control_plane
  else
    say "called with: $*: the only argument is wait" >&2
    exit 1
  fi
}

# A second run changes nothing, and completes one that was ended at any point.
install_unit() {
  mkdir -p "${first_boot%/*}" "$root${program%/*}" "$root/etc/systemd/system"
  # Kept in later boots, in which the node is a member already. A node whose image was made of another node has the
  # other one's, and waits in its first boot too.
  [ -s "$first_boot" ] || replace "$first_boot" <"$boot_id"
  replace "$root$program" <"$1"
  # Nothing of the kubelet's own unit is changed. It wants this one and does not require it: a node on which this fails
  # is held later, and not lost. A oneshot unit has no limit of time, which ExecStartPre has.
  replace "$root/etc/systemd/system/$unit" <<END
[Unit]
Description=Wait until the control plane has seen that this node rebooted
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh $program wait

[Install]
WantedBy=kubelet.service
END
  systemctl enable "$unit"
  say "from the next boot on the kubelet starts $wait_seconds s after the kernel"
}

wait_for_control_plane() {
  if [ -s "$first_boot" ] && [ "$(cat "$first_boot")" = "$(cat "$boot_id")" ]; then
    say "the node registers in this boot, with its taint: no wait"
    return
  fi
  read -r up _ <"$root/proc/uptime"
  rest=$((wait_seconds - ${up%.*}))
  if [ "$rest" -le 0 ]; then
    say "the kernel runs for ${up%.*} s: no wait"
    return
  fi
  say "the kernel runs for ${up%.*} s: the kubelet starts in $rest s"
  sleep "$rest"
}

replace() {
  cat >"$1.new"
  mv -f "$1.new" "$1"
}

main "$@"

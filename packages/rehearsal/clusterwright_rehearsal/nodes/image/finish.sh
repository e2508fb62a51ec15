#!/usr/bin/env bash
# Runs on the host after the packages were installed; $1 is the image's root. Creates HyperPod's paths.
set -o errexit
set -o nounset
set -o pipefail

root="$1"
arch_lib="$(cd "${root}" && echo usr/lib/*-linux-gnu)"

# --- Slurm in HyperPod's folder /opt/slurm, with a link from /etc/slurm
mkdir -p "${root}"/opt/slurm/{bin,sbin,lib,etc} "${root}/opt/ml/config" "${root}/opt/sagemaker"
mkdir -p "${root}/opt/dlami/nvme" "${root}/var/log/provision" "${root}/var/log/slurm"
for name in sinfo squeue srun sbatch salloc scancel scontrol sacct sacctmgr sreport sprio sshare \
  sstat sattach sbcast strigger sdiag scrontab; do
  if [[ -e "${root}/usr/bin/${name}" ]]; then
    ln -sfn "/usr/bin/${name}" "${root}/opt/slurm/bin/${name}"
  fi
done
for name in slurmctld slurmd slurmdbd slurmstepd sackd; do
  ln -sfn "/usr/sbin/${name}" "${root}/opt/slurm/sbin/${name}"
done
ln -sfn "/${arch_lib}/slurm-wlm" "${root}/opt/slurm/lib/slurm"
ln -sfn /usr/include "${root}/opt/slurm/include"
rm -rf "${root}/etc/slurm"
ln -sfn /opt/slurm/etc "${root}/etc/slurm"
chroot "${root}" chown -R slurm:slurm /opt/slurm/etc /var/log/slurm
printf 'PATH="/opt/slurm/bin:/opt/slurm/sbin:%s"\n' \
  /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin >"${root}/etc/environment"

# Public scripts rewrite the units there (`envsubst < /etc/systemd/system/slurmd.service`).
for unit in slurmctld slurmd slurmdbd; do
  cp "${root}/usr/lib/systemd/system/${unit}.service" "${root}/etc/systemd/system/${unit}.service"
done

# --- HyperPod's user
chroot "${root}" useradd --create-home --uid 1000 --shell /bin/bash ubuntu
echo 'ubuntu ALL=(ALL) NOPASSWD:ALL' >"${root}/etc/sudoers.d/90-cloud-init-users"
chmod 440 "${root}/etc/sudoers.d/90-cloud-init-users"

# --- emulated commands instead of the real ones
for name in findmnt:usr/bin modprobe:usr/sbin dmesg:usr/bin lscpu:usr/bin free:usr/bin aws:usr/bin; do
  path="${root}/${name#*:}/${name%:*}"
  mv "${path}" "${path}.real"
done
while read -r target link; do
  mkdir -p "$(dirname "${root}${link}")"
  ln -sfn "/usr/lib/emulation/${target}.py" "${root}${link}"
done <<'LINKS'
findmnt /usr/bin/findmnt
kernel_modules /usr/sbin/modprobe
kernel_log /usr/bin/dmesg
host_tools /usr/bin/lscpu
host_tools /usr/bin/free
aws /usr/bin/aws
mount_shared /usr/sbin/mount.lustre
mount_shared /usr/sbin/mount.nfs
mount_shared /usr/sbin/mount.nfs4
lustre_tools /usr/bin/lfs
lustre_tools /usr/sbin/lctl
lustre_tools /usr/sbin/lnetctl
nvidia_smi /usr/bin/nvidia-smi
accelerator_tools /usr/bin/dcgmi
accelerator_tools /opt/amazon/efa/bin/fi_info
accelerator_tools /opt/amazon/efa/bin/fi_pingpong
accelerator_tools /opt/aws/neuron/bin/neuron-ls
LINKS
chmod 755 "${root}"/usr/lib/emulation/*.py "${root}/usr/lib/emulation/containers/enroot"
chroot "${root}" python3 -m compileall -q /usr/lib/emulation

# The AWS CLI lists its models' folders several times in each call: those without a model are removed.
find "${root}/usr/lib/python3/dist-packages/awscli/botocore/data" -mindepth 1 -depth \
  -type d -empty -delete

# --- stubs of Enroot and Pyxis, not installed in their folders: not every image has them
# A suite without a compiler has no stub of Pyxis, and scenarios with containers are skipped.
if [[ -x "${root}/usr/bin/tcc" ]]; then
  chroot "${root}" make --silent -C /usr/lib/emulation/containers spank_pyxis.so
  rm "${root}/usr/lib/emulation/containers/spank_pyxis.o"
fi

# --- Slurm and the database are not started at boot: HyperPod or the scripts start them
for unit in slurmctld slurmd slurmdbd sackd mariadb munge nfs-client.target rpcbind.socket \
  systemd-timesyncd systemd-networkd systemd-resolved cron \
  apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer e2scrub_all.timer \
  logrotate.timer man-db.timer systemd-tmpfiles-clean.timer; do
  systemctl --root="${root}" disable "${unit}" >/dev/null 2>&1 || true
done
systemctl --root="${root}" enable chrony emulated-hardware dlami-nvme emulated-aws.socket >/dev/null 2>&1
systemctl --root="${root}" set-default multi-user.target >/dev/null 2>&1
# Not needed in a container, and each start takes time; generators run at each reload, too. That of
# fstab stays for file systems which lifecycle scripts add.
find "${root}/usr/lib/systemd/system-generators" -type f ! -name systemd-fstab-generator -delete
systemctl --root="${root}" mask systemd-logind getty.target console-getty.service ldconfig.service \
  systemd-journal-flush.service systemd-hwdb-update.service systemd-update-done.service \
  systemd-udevd.service systemd-udev-trigger.service systemd-udevd-kernel.socket \
  systemd-udevd-control.socket modprobe@.service dev-hugepages.mount dev-mqueue.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount systemd-firstboot.service \
  systemd-random-seed.service systemd-pcrphase.service >/dev/null 2>&1

# --- files that each machine creates
rm -f "${root}/etc/hostname" "${root}/etc/resolv.conf" "${root}"/etc/ssh/ssh_host_*_key*
: >"${root}/etc/machine-id"
rm -rf "${root}"/var/log/journal "${root}"/var/lib/mysql/*.err
chroot "${root}" ldconfig

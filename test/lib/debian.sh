# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Sourced by test scripts, after runner.sh: fresh Debians, made once with debootstrap and thrown away after each use.
# Needs root, and the network for packages.

mirror=${DAME_DEBIAN_MIRROR:-http://deb.debian.org/debian}
chroots=${DAME_PACKAGE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/dame-packages}

# can_have_debian WHAT: or the whole script is skipped.
can_have_debian()
{
    [ "$(id -u)" = 0 ] || skip_all "$1" "only root can enter another Debian"
    command -v debootstrap >/dev/null || skip_all "$1" "debootstrap is missing: apt-get install debootstrap"
}

# has_debian SUITE: makes it if it is not there; that is a test. Its log is in $scratch.
has_debian()
{
    [ ! -e "$chroots/$1" ] || return 0
    mkdir -p "$chroots"
    debootstrap --variant=minbase "$1" "$chroots/$1" "$mirror" >"$scratch/log" 2>&1
    verdict $? "$1: debootstrap" "$scratch/log"
}

# fresh SUITE LAYER COMMAND...: in a Debian of the suite, on top of the directory LAYER.
fresh()
{
    local suite=$1 layer=$2
    shift 2
    mkdir -p "$layer/upper" "$layer/work" "$layer/all"
    # shellcheck disable=SC2016 # expanded by the shell that is started
    unshare --mount --pid --fork --kill-child --propagation private bash -c '
        set -e
        base=$1 layer=$2
        shift 2
        mount -t overlay overlay -o "lowerdir=$base,upperdir=$layer/upper,workdir=$layer/work" "$layer/all"
        mount -t proc proc "$layer/all/proc"
        mount --rbind /dev "$layer/all/dev"
        mount -t tmpfs tmpfs "$layer/all/dev/shm"
        mount -t tmpfs tmpfs "$layer/all/tmp"
        mount -t sysfs -o ro sysfs "$layer/all/sys"
        cp /etc/resolv.conf "$layer/all/etc/resolv.conf"
        echo "127.0.0.1 localhost $(hostname)" >"$layer/all/etc/hosts"
        exec chroot "$layer/all" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb \
            DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
    ' fresh "$chroots/$suite" "$layer" "$@"
}

#!/bin/sh
# Builds the guest of the integration test: Debian's own kernel, and a small root with iiod and the emulated sensor hub.
# usage: build.sh [--install] FOLDER
# The image stays in FOLDER and is built again only when its sources change. With --install, missing packages are installed when run as root.
# Exit status: 0 built or still good, 77 this machine cannot (the reason is on standard error), anything else is a failure.
set -eu

install=no
if [ "${1:-}" = --install ]; then install=yes; shift; fi
if [ $# -ne 1 ]; then echo "usage: build.sh [--install] FOLDER" >&2; exit 64; fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
sources=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin
packages="qemu-system-x86 busybox-static cpio kmod iiod libiio-utils gcc libc6-dev linux-libc-dev"

cannot() { echo "guest: $1" >&2; exit 77; }

missing() {
    for tool in qemu-system-x86_64 busybox cpio depmod modprobe iiod iio_info gcc; do command -v "$tool" >/dev/null || echo "$tool"; done
}

[ "$(uname -m)" = x86_64 ] || cannot "the guest is made for x86_64, this is $(uname -m)"
command -v apt-get >/dev/null || cannot "no apt-get: the guest runs Debian's own kernel"
if [ -n "$(missing)" ]; then
    if [ $install = yes ] && [ "$(id -u)" = 0 ]; then
        apt-get update -q >&2
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages >&2 || cannot "apt-get could not install: $packages"
    fi
    still=$(missing | tr '\n' ' ')
    [ -z "$still" ] || cannot "missing: ${still% }. Install with: sudo apt-get install --no-install-recommends $packages"
fi

stamp=$(cat "$sources/build.sh" "$sources/init" "$sources"/*.c "$sources"/*.h "$(command -v iiod)" | sha256sum | cut -d' ' -f1)
if [ -e "$folder/initramfs" ] && [ -e "$folder/vmlinuz" ] && [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ]; then exit 0; fi

work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The kernel package is kept unpacked: a change of the sources needs no second download.
kernel=$(cat "$folder/kernel/version" 2>/dev/null || true)
if [ -z "$kernel" ]; then
    kernel=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: linux-image-\([0-9]\S*\)$/\1/p' | head -n 1)
    [ -n "$kernel" ] || cannot "apt knows no linux-image-amd64: not Debian, or apt-get update was never run"
    (cd "$work" && apt-get download -q "linux-image-$kernel" >&2) || cannot "cannot download linux-image-$kernel"
    dpkg-deb -x "$work"/linux-image-*.deb "$work/kernel"
    depmod -b "$work/kernel" "$kernel"
    echo "$kernel" >"$work/kernel/version"
    rm -rf "$folder/kernel"
    mv "$work/kernel" "$folder/kernel"
fi

root=$work/root
mkdir -p "$root/bin" "$root/modules" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/run" "$root/etc"
cp "$sources/init" "$root/init"
chmod 755 "$root/init"
gcc -std=gnu17 -O2 -Wall -Wextra -Werror -static -o "$root/bin/sensor_hub" "$sources/sensor_hub.c" "$sources/motion.c" -lm
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in sh mount insmod hostname ip usleep sleep cat ls tr cut grep poweroff; do ln -s busybox "$root/bin/$applet"; done
cp "$(command -v iiod)" "$root/bin/iiod"
ldd "$root/bin/iiod" | grep -o '/[^ ]*\.so[^ ]*' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
done

# Every module once, each after those it needs.
for module in uhid hid-sensor-accel-3d hid-sensor-gyro-3d virtio_pci virtio_net; do
    modprobe -d "$folder/kernel" -S "$kernel" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
    cp "$path" "$root/modules/"
    basename "$path" >>"$root/modules/order"
done

(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initramfs"
cp "$folder/kernel/boot/vmlinuz-$kernel" "$work/vmlinuz"
mv "$work/vmlinuz" "$work/initramfs" "$folder/"
echo "$stamp" >"$folder/stamp"

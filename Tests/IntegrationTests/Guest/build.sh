#!/bin/sh
# Builds the guest of the integration test: Debian's own kernel, and a small root with iiod and the emulated sensor hub.
# usage: build.sh FOLDER
# The image stays in FOLDER and is rebuilt only when its sources change; the Debian packages it needs are downloaded
# once. Exit status: 0 built or still current, 77 not possible on this machine (the reason is on standard error),
# anything else is a failure.
set -eu

if [ $# -ne 1 ]; then echo "usage: build.sh FOLDER" >&2; exit 64; fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
sources=$(cd "$(dirname "$0")" && pwd)
can=$sources/../../../Sources/CCAN
PATH=$PATH:/usr/sbin:/sbin

cannot() { echo "guest: $1" >&2; exit 77; }

[ "$(uname -m)" = x86_64 ] || cannot "the guest is made for x86_64, this is $(uname -m)"
command -v apt-get >/dev/null || cannot "no apt-get: the guest runs Debian's own kernel"
missing=""
for tool in qemu-system-x86_64 busybox cpio depmod modprobe gcc; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
[ -z "$missing" ] || cannot "missing:$missing. Install what tests need with: scripts/packages test"

stamp=$(cat "$sources/build.sh" "$sources/init" "$sources"/*.c "$sources"/*.h "$can"/*.c "$can"/include/*.h |
    sha256sum | cut -d' ' -f1)
if [ -e "$folder/initramfs" ] && [ -e "$folder/vmlinuz" ] && [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi

work=$(mktemp -d "$folder/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Kernel and IIO server are unpacked, never installed: installing iiod would start it on this machine.
kernel=$(cat "$folder/packages/kernel-version" 2>/dev/null || true)
if [ -z "$kernel" ]; then
    kernel=$(apt-cache depends linux-image-amd64 2>/dev/null |
        sed -n 's/^ *Depends: linux-image-\([0-9]\S*\)$/\1/p' | head -n 1)
    [ -n "$kernel" ] || cannot "apt knows no linux-image-amd64: not Debian, or apt-get update was never run"
    (cd "$work" && apt-get download -q -o APT::Sandbox::User=root "linux-image-$kernel" iiod libiio0 libaio1 >&2) ||
        cannot "cannot download linux-image-$kernel, iiod, libiio0 and libaio1"
    for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/packages"; done
    depmod -b "$work/packages" "$kernel"
    echo "$kernel" >"$work/packages/kernel-version"
    rm -rf "$folder/packages"
    mv "$work/packages" "$folder/packages"
fi

root=$work/root
mkdir -p "$root/bin" "$root/modules" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/run" "$root/etc"
cp "$sources/init" "$root/init"
chmod 755 "$root/init"
gcc -std=gnu17 -O2 -Wall -Wextra -Werror -static -o "$root/bin/sensor_hub" \
    "$sources/sensor_hub.c" "$sources/motion.c" -lm
gcc -std=gnu17 -O2 -Wall -Wextra -Werror -static -I "$can/include" -o "$root/bin/can_check" \
    "$sources/can_check.c" "$can/can.c"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in sh mount insmod hostname ip usleep sleep cat ls tr cut grep poweroff; do
    ln -s busybox "$root/bin/$applet"
done
cp "$folder/packages/usr/sbin/iiod" "$root/bin/iiod"
unpacked=$folder/packages/usr/lib/x86_64-linux-gnu:$folder/packages/lib/x86_64-linux-gnu
LD_LIBRARY_PATH=$unpacked ldd "$root/bin/iiod" >"$work/libraries"
if grep 'not found' "$work/libraries" >&2; then
    cannot "the libraries above, which iiod needs, are not installed: scripts/packages test"
fi
grep -o '/[^ ]*\.so[^ ]*' "$work/libraries" | while read -r library; do
    place=$root${library#"$folder/packages"}
    mkdir -p "$(dirname "$place")"
    cp -L "$library" "$place"
done

# Every module once, each after the modules it needs.
for module in uhid hid-sensor-accel-3d hid-sensor-gyro-3d virtio_pci virtio_net can-raw can-isotp vcan; do
    modprobe -d "$folder/packages" -S "$kernel" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
    cp "$path" "$root/modules/"
    basename "$path" >>"$root/modules/order"
done

(cd "$root" && find . | cpio -o -H newc --quiet) >"$work/initramfs"
cp "$folder/packages/boot/vmlinuz-$kernel" "$work/vmlinuz"
mv "$work/vmlinuz" "$work/initramfs" "$folder/"
echo "$stamp" >"$folder/stamp"

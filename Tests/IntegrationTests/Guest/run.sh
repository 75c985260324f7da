#!/bin/sh
# Runs the guest that build.sh built in FOLDER; its iiod answers on 127.0.0.1:PORT. Ends on SIGTERM, or by itself after
# 15 minutes.
# usage: run.sh FOLDER PORT
set -eu
if [ $# -ne 2 ]; then echo "usage: run.sh FOLDER PORT" >&2; exit 64; fi
# If permitted, the guest runs with higher priority than other programs: a starved guest loses samples, as no hardware
# would.
first=""
if nice -n -10 true 2>/dev/null; then first="nice -n -10"; fi
# Always emulation: a /dev/kvm that opens does not guarantee that a guest boots. The network reaches only the forwarded
# port.
exec $first qemu-system-x86_64 -accel tcg -cpu max -m 256 -smp 1 -display none \
    -serial stdio -monitor none -no-reboot -nodefaults \
    -kernel "$1/vmlinuz" -initrd "$1/initramfs" -append "console=ttyS0 quiet panic=-1 mitigations=off" \
    -netdev "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:$2-10.0.2.15:30431" \
    -device virtio-net-pci,netdev=net,romfile= </dev/null

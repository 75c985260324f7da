#!/bin/sh
# Runs all tasks of a plan on this machine at low priority, within limits of memory, in a unit that survives the login:
#
#     posectl batch plan drives -o results && ./systemd-run.sh results
#
# `systemctl status posed-batch` shows it, `systemctl stop posed-batch` ends it; started again, it goes on.
set -eu
folder=$(cd "$1" && pwd)
exec systemd-run --unit=posed-batch --collect --uid="$(id -u)" --property=Nice=15 --property=MemoryMax=2G \
    --property=IOSchedulingClass=idle --working-directory="$folder" \
    /bin/sh -c 'k=$(nproc); i=0; while [ $i -lt $k ]; do
        posectl batch run manifest.json --task $i --of "$k" & i=$((i + 1)); done
        wait; posectl batch collect manifest.json'

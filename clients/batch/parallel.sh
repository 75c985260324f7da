#!/bin/sh
# Runs all tasks of a plan with GNU parallel, on this machine or on those of --sshlogin:
#
#     tasks=$(posectl batch plan drives -o results)
#     ./parallel.sh results "$tasks"
set -eu
folder=$1 tasks=$2
shift 2
# A failed task does not stop the others; its number is in results/joblog.
seq 0 $((tasks - 1)) |
    parallel --will-cite --joblog "$folder/joblog" "$@" posectl batch run "$folder/manifest.json" --task {} || true
exec posectl batch collect "$folder/manifest.json"

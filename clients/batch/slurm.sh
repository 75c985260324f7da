#!/bin/sh
# Runs a plan as a Slurm array, and collects it afterwards:
#
#     tasks=$(posectl batch plan drives -o results)
#     sbatch --array=0-$((tasks - 1))%64 slurm.sh results
#
# With more tasks than the cluster's MaxArraySize (1001 by default) give parts instead: PARTS=1000 sbatch --array=0-999.
#SBATCH --job-name=posed
#SBATCH --cpus-per-task=1
#SBATCH --mem=512M
#SBATCH --time=00:30:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
exec posectl batch run "$1/manifest.json" --task "$SLURM_ARRAY_TASK_ID" ${PARTS:+--of "$PARTS"}

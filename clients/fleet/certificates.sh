#!/bin/sh
# Makes the certificates of a fleet in the current folder, by openssl:
#
#     certificates.sh authority fleet-ca                          # for boards and broker
#     certificates.sh authority office-ca
#     certificates.sh certificate fleet-ca broker DNS:broker.example
#     certificates.sh certificate fleet-ca 3d1219c7c4c5           # the id of a board
#     certificates.sh certificate office-ca office                # sends commands; reader: reads all boards
#
# Keep the keys of the authorities (NAME.key) off line. DAYS=730 sets how long a certificate is valid; an authority is
# valid for 20 years.
set -eu
umask 077

# Runs openssl; what it says is shown where it fails.
run() {
    said=$(openssl "$@" 2>&1) || { echo "$said" >&2; exit 1; }
}

case ${1:-} in
authority)
    [ ! -e "$2.key" ] || { echo "$2.key is there already: its certificates would become invalid" >&2; exit 1; }
    run req -x509 -newkey rsa:3072 -nodes -days 7300 -subj "/CN=$2" -keyout "$2.key" -out "$2.pem"
    ;;
certificate)
    [ -e "$2.key" ] || { echo "$2.key is not here: go to the folder of that authority, or make it" >&2; exit 1; }
    names=$(mktemp)
    trap 'rm -f "$names" "$3.csr"' EXIT
    [ -z "${4:-}" ] || echo "subjectAltName=$4" >"$names"
    run req -newkey rsa:2048 -nodes -subj "/CN=$3" -keyout "$3.key" -out "$3.csr"
    run x509 -req -in "$3.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days "${DAYS:-730}" \
        -extfile "$names" -out "$3.pem"
    ;;
*)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 64
    ;;
esac

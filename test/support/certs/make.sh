#!/bin/sh
# Creates the certificates of the TLS tests: a CA, a server signed by it, a client signed by it. They protect nothing.
# Valid for a hundred years from 2020, in case the machine's clock is wrong. Run it only to change the certificates.
set -eu
cd "$(dirname "$0")"
START=20200101000000Z
END=21200101000000Z
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

cat > "$WORK/ca.cnf" <<CONFIG
[ca]
default_ca = test
[test]
database = $WORK/index
new_certs_dir = $WORK
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[server]
subjectAltName = DNS:localhost, DNS:cannonade.test, DNS:other.test, IP:127.0.0.1, IP:::1
extendedKeyUsage = serverAuth
[client]
extendedKeyUsage = clientAuth
CONFIG
: > "$WORK/index"

request () { # key, subject
  openssl ecparam -name prime256v1 -genkey -noout -out "$1"
  openssl req -new -key "$1" -subj "$2" -out "$WORK/request.pem"
}

sign () { # extensions, certificate, how it is signed
  extensions=$1
  certificate=$2
  shift 2
  openssl ca -batch -config "$WORK/ca.cnf" -extensions "$extensions" -startdate $START -enddate $END \
    -in "$WORK/request.pem" -out "$certificate" -notext "$@"
}

request "$WORK/ca-key.pem" '/CN=Cannonade test CA'
sign authority ca-cert.pem -selfsign -keyfile "$WORK/ca-key.pem"

request server-key.pem '/CN=localhost'
sign server server-cert.pem -cert ca-cert.pem -keyfile "$WORK/ca-key.pem"

request client-key.pem '/CN=Cannonade test client'
sign client client-cert.pem -cert ca-cert.pem -keyfile "$WORK/ca-key.pem"

# With another kind of key, for a client that has one of each; self-signed.
openssl genrsa -traditional -out client-rsa-key.pem 2048
openssl req -new -key client-rsa-key.pem -subj '/CN=Cannonade test client' -out "$WORK/request.pem"
sign client client-rsa-cert.pem -selfsign -keyfile client-rsa-key.pem

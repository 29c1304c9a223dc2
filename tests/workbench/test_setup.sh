#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Set-up failures, each brought about by stand-ins for the system's own programs: one message that says what, why and
# what to do, and nothing half done. Usage: test_setup.sh SOURCE_TREE
set -u
tree=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fake() { printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"; chmod +x "$bin/$1"; }

# expect NAME EXIT TEXT COMMANDS: runs the set-up steps with the fakes first on the path.
expect() {
    local name=$1 exit=$2 text=$3 got out
    out=$(cd "$scratch" && PATH="$bin:$PATH" HOME="$scratch/home" STAGECRAFT_PYTHON="$bin/python3" \
        bash -c 'set -euo pipefail; root=$1; preset=release; build=$2/build; cache=$2/cache; . "$root/cmake/setup.sh"; eval "$3"' \
        _ "$tree" "$scratch" "$4" 2>&1 </dev/null)
    got=$?
    if [ $got != "$exit" ] || ! grep -qF -- "$text" <<<"$out"; then
        printf 'FAIL %s: exit %s, wanted %s with "%s"; it said:\n%s\n' "$name" "$got" "$exit" "$text" "$out"
        failures=$((failures + 1))
    else
        printf 'ok   %s\n' "$name"
    fi
    last=$out
}

fresh() { rm -rf "$scratch"/*; bin="$scratch/bin"; mkdir -p "$bin" "$scratch/home"; }

fresh; fake uname 'case $1 in -m) echo aarch64;; *) echo Linux;; esac'
expect 'another processor architecture' 1 'use an x86-64 machine' check_machine
fresh; fake uname 'case $1 in -m) echo x86_64;; *) echo Darwin;; esac'
expect 'another system' 1 'use a Linux machine' check_machine
fresh; fake grep 'case "$*" in *avx2*) exit 1;; esac; exec /bin/grep "$@"'
expect 'a processor without AVX2' 1 'lacks AVX2' check_machine

fresh; fake dpkg-query 'exit 1'; fake id 'echo 1000'; fake sudo 'exit 1'
expect 'neither root nor sudo' 1 'as root: apt-get update && apt-get install -y --no-install-recommends' install_packages
fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'; fake apt-get 'exit 100'
expect 'package mirror out of reach' 1 'a proxy is needed (http_proxy, https_proxy)' install_packages
fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'
fake apt-get 'case $1 in install) echo "E: Unable to locate package qt6-charts-dev"; exit 100;; esac'
expect 'a release without Qt 6' 1 'older than Debian 12' install_packages
fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'; fake apt-get 'exit 0'
expect 'apt that installs nothing' 1 'Packages are still missing' install_packages
fresh; fake dpkg-query 'shift 3; for p; do echo "$p ii "; done'; fake apt-get 'echo called; exit 1'
expect 'nothing to install' 0 '' install_packages
[ -z "$last" ] || { echo "FAIL a set-up with nothing to do said: $last"; failures=$((failures + 1)); }

fresh; fake python3 'echo "ERROR: Could not find a version that satisfies the requirement"; exit 1'
expect 'offline during the download' 1 'finished downloads are kept' fetch_torch
fresh; fake python3 'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."; exit 1'
expect 'a download with another hash' 1 'its hash differs from the pinned one' fetch_torch
fresh; fake python3 'echo "ERROR: [Errno 28] No space left on device"; exit 1'
expect 'a disk that fills up' 1 'the disk is full' fetch_torch
fresh; fake df 'echo head; echo "disk 1 1 1000000 1% /"'
expect 'too little space before the download' 1 '3 GiB are needed' fetch_torch
fresh; : >"$scratch/cache"
expect 'a cache folder that cannot be made' 1 'set XDG_CACHE_HOME' fetch_torch

# A whole fetch with a stand-in pip: the folder appears under its final name only, and a second fetch does nothing.
pip='case "$*" in *" download "*) exit 0;; esac
while [ $# -gt 0 ]; do [ "$1" = --target ] && t=$2; shift; done; mkdir -p "$t/torch/lib"; : >"$t/torch/lib/libtorch_cpu.so"'
fresh; fake python3 "$pip"
expect 'a whole fetch' 0 'unpacking LibTorch' 'fetch_torch; test -e "$(torch_folder)/torch/lib/libtorch_cpu.so"; test ! -e "$(torch_folder).partial"'
expect 'a second fetch does nothing' 0 'quiet' 'STAGECRAFT_PYTHON=/nonexistent fetch_torch; echo quiet'
[ "$last" = quiet ] || { echo "FAIL the second fetch said: $last"; failures=$((failures + 1)); }

# A slow download tells how far it is, a tenth at a time: pip goes on once its folder has been looked at often enough.
fresh; fake du 'n=$(cat "$0.count" 2>/dev/null || echo 0); n=$((n + 1)); echo $n >"$0.count"; case $n in 1) b=1000;; 2) b=126000000;; 3) b=127000000;; *) b=900000000;; esac; printf "%s\t%s\n" $b "$2"'
fake python3 'case "$*" in *" download "*) case "$*" in *one.txt*) grep -q ^torch "${0%/bin/python3}/cache/wheels/one.txt" || exit 0;; esac
    [ -d "$TMPDIR" ] || exit 1
    echo "  Downloading torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl (251.5 MB)"
    i=0; while [ "$(cat "${0%/python3}/du.count" 2>/dev/null || echo 0)" -lt 6 ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done; exit 0;; esac
while [ $# -gt 0 ]; do [ "$1" = --target ] && t=$2; shift; done; mkdir -p "$t/torch/lib"; : >"$t/torch/lib/libtorch_cpu.so"'
expect 'a download tells how far it is' 0 'torch==2.11.0: 126 of 251 MB, 50 %' fetch_torch
[ "$(grep -c 'of 251 MB' <<<"$last")" = 2 ] || { echo "FAIL half and all are two lines, it said: $last"; failures=$((failures + 1)); }

# The whole program this time, as the signal finds it: with its standard error on the way into a log.
fresh; fake dpkg-query 'shift 3; for p; do echo "$p ii "; done'; fake python3 'kill -TERM $PPID; exit 1'
last=$(PATH="$bin:$PATH" HOME="$scratch/home" XDG_CACHE_HOME="$scratch/cache" STAGECRAFT_PYTHON="$bin/python3" "$tree/workbench" build 2>&1 </dev/null)
if [ $? = 130 ] && grep -q 'start again to go on where this stopped' <<<"$last"; then echo 'ok   an interrupted download'
else echo "FAIL an interrupted download: it said: $last"; failures=$((failures + 1)); fi

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }

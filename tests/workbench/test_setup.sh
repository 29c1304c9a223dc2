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
fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'
fake apt-get 'case $1 in update) case "$*" in *Error-Mode=any*) echo "E: Failed to fetch http://mirror/InRelease"; exit 100;; esac;; install) echo "E: Unable to locate package g++"; exit 100;; esac'
expect 'no network and no package lists' 1 'Cannot reach the package mirror' install_packages
grep -q 'Failed to fetch http://mirror/InRelease' <<<"$last" || { echo "FAIL the reason is not told: $last"; failures=$((failures + 1)); }

# Stand-ins that install what is asked for: what dpkg-query prints is what apt-get has put into a file.
fake_apt() {  # fake_apt WHAT_COMES_FIRST
    fake dpkg-query 'cat "${0%/*}/installed" 2>/dev/null'
    fake apt-get "echo \"\$*\" >>\"\$0.calls\"; $1"'
case $1 in install) for p; do echo "$p ii "; done >"${0%/*}/installed";; esac'
}
fresh; fake id 'echo 0'; fake_apt 'case $1 in update) echo "E: The repository of a third party has no Release file"; exit 100;; esac'
expect 'a broken third-party source does not stop the set-up' 0 'installing packages' install_packages
fresh; fake id 'echo 0'; fake dpkg 'echo "$*" >>"$0.calls"; : >"${0%/*}/mended"'
fake_apt '[ $1 = update ] || [ -e "${0%/*}/mended" ] || { echo "E: dpkg was interrupted, you must manually run dpkg --configure -a to correct the problem."; exit 100; }'
expect 'an interrupted installation is finished first' 0 'installing packages' install_packages
[ "$(cat "$bin/dpkg.calls")" = '--configure -a' ] || { echo "FAIL dpkg was not asked to finish"; failures=$((failures + 1)); }
fresh; fake id 'echo 1000'; fake_apt 'echo "$http_proxy|$https_proxy" >>"$0.proxies"'
fake sudo 'case $1 in -n) exit 0;; esac; exec env -u http_proxy -u https_proxy "$@"'
expect 'the proxy reaches apt through sudo' 0 'installing packages' 'http_proxy=http://a:1 https_proxy=http://b:2 install_packages'
[ "$(sort -u "$bin/apt-get.proxies")" = 'http://a:1|http://b:2' ] || { echo "FAIL apt saw: $(cat "$bin/apt-get.proxies")"; failures=$((failures + 1)); }
for row in "E: You don't have enough free space in /var/cache/apt/archives/.|the disk is full" \
    "E: Could not get lock /var/lib/dpkg/lock-frontend.|another program is installing packages" \
    "E: Failed to fetch http://mirror/g++.deb  Connection failed|the network broke off"; do
    fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'; fake apt-get "[ \$1 = update ] || { echo \"${row%|*}\"; exit 100; }"
    expect "${row%|*}" 1 "${row#*|}" install_packages
done
fresh; fake dpkg-query 'shift 3; for p; do echo "$p ii "; done'; fake apt-get 'echo called; exit 1'
expect 'nothing to install' 0 '' install_packages
[ -z "$last" ] || { echo "FAIL a set-up with nothing to do said: $last"; failures=$((failures + 1)); }

# An index of another kind than ours: pip does it, in its own way.
odd='case "$*" in *fetch_wheel.py*) echo "an odd index"; exit 3;; esac;'
fresh; fake python3 "$odd"' echo "ERROR: Could not install packages due to an OSError: Connection refused"; exit 1'
expect 'offline during the download' 1 'finished downloads are kept' fetch_torch
grep -qF 'pip fetches torch==2.11.0 itself, from the beginning (an odd index)' <<<"$last" || { echo "FAIL it does not say that pip does it: $last"; failures=$((failures + 1)); }
fresh; fake python3 "$odd"' echo "ERROR: No matching distribution found for torch==2.11.0"; exit 1'
expect 'an index without the wheel' 1 'run PIP_INDEX_URL=https://pypi.org/simple ./workbench run' fetch_torch
fresh; fake python3 "$odd"' echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."; exit 1'
expect 'a download with another hash' 1 'its hash differs from the pinned one' fetch_torch
fresh; fake python3 "$odd"' echo "ERROR: [Errno 28] No space left on device"; exit 1'
expect 'a disk that fills up' 1 'the disk is full' fetch_torch
fresh; fake python3 'echo "/cache/part: No space left on device"; exit 6'
expect 'a disk that fills up under the part' 1 'the disk is full (/cache/part: No space left on device); free 3 GiB below' fetch_torch
fresh; fake python3 'echo "index: certificate verify failed"; exit 9'
expect 'a certificate that is not trusted' 1 'run PIP_CERT=FILE ./workbench run' fetch_torch
fresh; fake python3 "$odd"' echo "File contains no section headers."; exit 1'
expect 'a broken pip.conf' 1 'PIP_CONFIG_FILE=/dev/null ./workbench run' fetch_torch
fresh; fake df 'echo head; echo "disk 1 1 1000000 1% /"'
expect 'too little space before the download' 1 '976 MiB free, 3.0 GiB are needed' fetch_torch

# The space for a build is that of the steps it has to do.
build_with() {  # build_with FREE_KIB STEPS NAME EXIT TEXT
    fresh; mkdir -p "$scratch/build"; : >"$scratch/build/build.ninja"; fake df "echo head; echo 'disk 1 1 $1 1% /'"
    fake ninja 'case "$*" in *" -n "*) i=0; while [ $i -lt '"$2"' ]; do i=$((i + 1)); echo "[$i/'"$2"'] Building"; done; [ $i != 0 ] || echo "ninja: no work to do.";; *-k*) echo "built $*" >"$0.did";; esac'
    expect "$3" "$4" "$5" 'configure() { :; }; build_targets "all of it" all'
}
build_with 1000 0 'a full disk when all is built' 0 ''
[ -z "$last" ] && [ ! -e "$bin/ninja.did" ] || { echo "FAIL a build with nothing to do said: $last"; failures=$((failures + 1)); }
build_with 100000 300 'too little space for the steps left' 1 'has 97 MiB free, 364 MiB are needed'
build_with 400000 300 'room for the steps left' 0 'building all of it'
[ -e "$bin/ninja.did" ] || { echo 'FAIL it was not built'; failures=$((failures + 1)); }
fresh; mkdir -p "$scratch/build"; : >"$scratch/build/build.ninja"; fake ninja 'case "$*" in *-k*|*build.ninja) echo "FAILED: build.ninja"; exit 1;; esac; echo "ninja: no work to do."'
expect 'a list of steps that cannot be made' 1 'The build failed' 'configure() { :; }; build_targets "all of it" all'
warning() {  # warning FLAG: a build of one step, of which the compiler says something
    fresh; mkdir -p "$scratch/build"; : >"$scratch/build/build.ninja"
    fake ninja 'case "$*" in *" -n "*) echo "[1/1] Building";; *-k*) echo "a.cpp:1:2: warning: something [-W'"$1"']";; esac'
}
warning shadow
expect 'a warning that would stop continuous integration' 0 'a.cpp:1:2: warning: something [-Wshadow]' 'configure() { :; }; build_targets "all of it" all'
warning maybe-uninitialized
expect 'a warning that would not' 0 'building all of it' 'configure() { :; }; build_targets "all of it" all'
! grep -q 'the compiler warned' <<<"$last" || { echo "FAIL a warning that is no error said: $last"; failures=$((failures + 1)); }
fresh; fake df 'echo head; echo "disk 1 1 700000 1% /"'
expect 'too little space for a whole build' 1 '800 MiB are needed; free some and run' 'configure() { exit 9; }; build_targets "all of it" all'
fresh; : >"$scratch/cache"
expect 'a file where the cache folder belongs' 1 'run XDG_CACHE_HOME=FOLDER' fetch_torch
fresh
expect 'a cache folder that cannot be made' 1 'Cannot make /proc/none: no permission; run XDG_CACHE_HOME=FOLDER' 'cache=/proc/none; fetch_torch'

# A whole fetch with a stand-in pip: the folder appears under its final name only, and a second fetch does nothing.
pip="$odd"' case "$*" in *" download "*) exit 0;; esac
while [ $# -gt 0 ]; do [ "$1" = --target ] && t=$2; shift; done; [ -z "$t" ] || { mkdir -p "$t/torch/lib"; : >"$t/torch/lib/libtorch_cpu.so"; }'
fresh; fake python3 "$pip"
expect 'a whole fetch' 0 'unpacking LibTorch' 'fetch_torch; test -e "$(torch_folder)/torch/lib/libtorch_cpu.so"; test ! -e "$(torch_folder).partial"'
expect 'a second fetch does nothing' 0 'quiet' 'STAGECRAFT_PYTHON=/nonexistent fetch_torch; echo quiet'
[ "$last" = quiet ] || { echo "FAIL the second fetch said: $last"; failures=$((failures + 1)); }

# A slow download tells how far it is, a tenth at a time: it goes on once its file has been looked at often enough. What is there
# counts from the moment its size is known: looks before that are as many as the machine is slow. A count being written is empty.
counted='[ -e "$0.go" ] || { printf "0\t%s\n" "$2"; exit 0; }; n=$(cat "$0.count" 2>/dev/null || echo 0); n=$((n + 1)); echo $n >"$0.count"'
fresh; fake du "$counted"'; case $n in 1 | 2) b=1000;; 3) b=126000000;; 4) b=127000000;; *) b=900000000;; esac; printf "%s\t%s\n" $b "$2"'
fake python3 'case "$*" in *fetch_wheel.py\ torch==*)
    echo "Downloading torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl (251500000 B)"
    : >"${0%/python3}/du.go"; i=0; while n=$(cat "${0%/python3}/du.count" 2>/dev/null); [ "${n:-0}" -lt 7 ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done; exit 0;; *fetch_wheel.py*) exit 0;; esac
while [ $# -gt 0 ]; do [ "$1" = --target ] && t=$2; shift; done; [ -z "$t" ] || { mkdir -p "$t/torch/lib"; : >"$t/torch/lib/libtorch_cpu.so"; }'
expect 'a download tells how far it is' 0 'torch==2.11.0: 126 of 251 MB, 50 %' fetch_torch
[ "$(grep -c 'of 251 MB' <<<"$last")" = 2 ] || { echo "FAIL half and all are two lines, it said: $last"; failures=$((failures + 1)); }

# What is typed wrong is told before anything is set up.
refuse() {  # refuse NAME TEXT ARGUMENT...
    local name=$1 text=$2
    shift 2
    last=$("$tree/workbench" "$@" 2>&1 </dev/null)
    if [ $? = 2 ] && [ "$(wc -l <<<"$last")" = 1 ] && grep -qF -- "$text" <<<"$last"; then printf 'ok   %s\n' "$name"
    else printf 'FAIL %s: it said: %s\n' "$name" "$last"; failures=$((failures + 1)); fi
}
fresh; export XDG_CACHE_HOME=/proc/none
refuse 'a workspace that is not there' 'no such file' run "$scratch/none.json"
refuse 'a folder for a workspace' 'it is a folder' run "$scratch"
refuse 'two workspaces' 'run takes one workspace' run "$tree/workbench" "$tree/workbench"
refuse 'an option of another command' 'build takes none' build --long
STAGECRAFT_PRESET=debug refuse 'a preset that is not there' 'dev, release, ci, asan and tsan' path
unset XDG_CACHE_HOME

# pip unpacks where the space was looked for, and tells how far it is as the download does.
fresh; fake du "$counted"'; printf "%s\t%s\n" $((n * 1000000)) "$2"'
fake python3 'case "$*" in *fetch_wheel.py*) exit 0;; "-c "*) echo 10000000; exit 0;; esac
case $TMPDIR in */cache/wheels/under_way) ;; *) echo "it unpacks in $TMPDIR"; exit 1;; esac; [ -d "$TMPDIR" ] || exit 1
: >"${0%/python3}/du.go"; i=0; while n=$(cat "${0%/python3}/du.count" 2>/dev/null); [ "${n:-0}" -lt 6 ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
while [ $# -gt 0 ]; do [ "$1" = --target ] && t=$2; shift; done; mkdir -p "$t/torch/lib"; : >"$t/torch/lib/libtorch_cpu.so"'
expect 'unpacking tells how far it is' 0 'LibTorch: 4 of 10 MB, 40 %' fetch_torch
fresh; fake python3 'case "$*" in *fetch_wheel.py*) exit 0;; *--target*) echo "ERROR: [Errno 28] No space left on device"; exit 1;; esac'
expect 'a disk that fills up while unpacking' 1 'Cannot unpack LibTorch: the disk is full; free 3 GiB' fetch_torch

# Without a terminal a build tells each tenth of its steps, and its end is the command's.
fresh; fake ninja 'i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "[$i/40] Building"; done; exit 3'
expect 'a build tells how far it is' 3 'step 20 of 40' 'run_step "$cache/logs/x.log" ninja || exit $?'
[ "$(grep -c '^workbench: step' <<<"$last")" = 10 ] || { echo "FAIL ten lines, it said: $last"; failures=$((failures + 1)); }

# The whole program this time, as the signal finds it: with its standard error on the way into a log.
fresh; fake dpkg-query 'shift 3; for p; do echo "$p ii "; done'; fake python3 'kill -TERM $PPID; exit 1'
last=$(PATH="$bin:$PATH" HOME="$scratch/home" XDG_CACHE_HOME="$scratch/cache" STAGECRAFT_PYTHON="$bin/python3" "$tree/workbench" build 2>&1 </dev/null)
if [ $? = 130 ] && grep -q 'start again to go on where this stopped' <<<"$last"; then echo 'ok   an interrupted download'
else echo "FAIL an interrupted download: it said: $last"; failures=$((failures + 1)); fi

# A run in the terminal gets the signal that is meant for it, whoever is told, and its report is written. In a copy, with
# stand-ins for what is built.
fresh
mkdir -p "$scratch/tree/cmake" "$scratch/tree/build/release/bin"
cp "$tree/workbench" "$scratch/tree/"
printf 'set_up() { :; }\nbuild_targets() { :; }\nsay() { echo "workbench: $*"; }\nend_teller() { :; }\nexec 8>&2\n' >"$scratch/tree/cmake/setup.sh"
cat >"$scratch/tree/build/release/bin/stagecraft" <<'FAKE'
#!/bin/bash
case $1 in
run) [ -z "${REFUSES:-}" ] || exit 1
     mkdir -p "$4"; : >"$4/run.json"
     [ -z "${QUICK:-}" ] || exit 0
     trap 'echo "{\"status\": \"stopped\"}" >"$4/run.json"; echo "stopped by TERM"; exit 130' TERM
     trap 'echo "{\"status\": \"stopped\"}" >"$4/run.json"; echo "stopped by INT"; exit 130' INT
     echo training; i=0; while [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done; echo "nobody stopped it"; exit 9 ;;
report) : >"$4" ;;
esac
FAKE
chmod +x "$scratch/tree/build/release/bin/stagecraft"
stopped() {  # stopped NAME SIGNAL WHOM TEXT, WHOM: "the group" or "it"
    rm -rf "$scratch/data"; : >"$scratch/said"
    XDG_DATA_HOME="$scratch/data" setsid env --default-signal=INT "$scratch/tree/workbench" run --headless >"$scratch/said" 2>&1 </dev/null &
    local it=$! i=0 got=0
    while ! grep -q training "$scratch/said" && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
    if [ "$3" = it ]; then kill "-$2" $it; else kill "-$2" -- -$it; fi
    wait $it || got=$?
    if [ $got = 130 ] && grep -q "$4" "$scratch/said" && grep -q 'report.html$' "$scratch/said" && ! grep -q 'start again' "$scratch/said"; then echo "ok   $1"
    else echo "FAIL $1: exit $got, it said: $(cat "$scratch/said")"; failures=$((failures + 1)); fi
}
stopped 'SIGTERM to the workbench alone' TERM it 'stopped by TERM'
stopped 'SIGTERM to all' TERM 'the group' 'stopped by TERM'
stopped 'Ctrl-C' INT 'the group' 'stopped by'
stopped 'an interrupt to the workbench alone' INT it 'stopped by TERM'

# Two that start in one second, through a link to the program; and one that is refused, which leaves no folder.
printf '#!/bin/bash\ncase $1 in +*) echo 20260101-000000 ;; *) exec /bin/date "$@" ;; esac\n' >"$bin/date"; chmod +x "$bin/date"
ln -s "$scratch/tree/workbench" "$scratch/link"
rm -rf "$scratch/data"
for i in 1 2; do PATH="$bin:$PATH" QUICK=1 XDG_DATA_HOME="$scratch/data" "$scratch/link" run --headless >"$scratch/said" 2>&1 || break; done
REFUSES=1 PATH="$bin:$PATH" XDG_DATA_HOME="$scratch/data" "$scratch/link" run --headless >>"$scratch/said" 2>&1
made=$(ls "$scratch/data/stagecraft/runs" | tr '\n' ' ')
if [ "$made" = '20260101-000000-demo 20260101-000000-demo-2 ' ]; then echo 'ok   two runs of one second'
else echo "FAIL two runs of one second: made $made; it said: $(cat "$scratch/said")"; failures=$((failures + 1)); fi

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }

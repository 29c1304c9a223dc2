# SPDX-License-Identifier: GPL-3.0-or-later
# Set-up steps of ./workbench, sourced by it. Each step first asks whether there is anything to do, says what it does and
# why, and fails with one line: WHAT: WHY; WHAT TO DO.

torch_version=2.11.0
torch_requirements="$root/cmake/requirements-torch.txt"
packages_file="$root/cmake/packages.txt"
again="${again:-./workbench run}"  # what the user typed, for messages
elsewhere="run XDG_CACHE_HOME=FOLDER $again to use another folder for downloads"

say() { printf 'workbench: %s\n' "$*" >&2; }

fail() {  # fail WHAT WHY WHAT_TO_DO [EXIT]
    printf 'workbench: %s: %s; %s\n' "$1" "$2" "$3" >&2
    exit "${4:-1}"
}

# run_step LOG COMMAND...: output goes to LOG. A terminal also sees its last line, live; else a line for each tenth, where the
# command counts its steps as ninja does.
run_step() {
    local log=$1 status
    shift
    mkdir -p "$(dirname "$log")"
    set +e
    "$@" 2>&1 </dev/null | tee "$log" | show_lines
    status=${PIPESTATUS[0]}
    set -e
    return "$status"
}

show_lines() {
    local line width tenth=0
    if [ -t 2 ]; then
        width=$(($(tput cols 2>/dev/null || echo 100) - 1))
        while IFS= read -r line; do printf '\r\033[K%.*s' "$width" "$line" >&2; done
        printf '\r\033[K' >&2
        return
    fi
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        [ $((10 * BASH_REMATCH[1] / BASH_REMATCH[2])) -gt $tenth ] || continue
        tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
        say "step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    done
}

space() { [ "$1" -ge 1024 ] && echo "$(($1 / 1024)).$(($1 % 1024 * 10 / 1024)) GiB" || echo "$1 MiB"; }

require_space() {  # require_space FOLDER MIB WHAT_FOR OTHERWISE
    local folder=$1 free
    while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
    [ -w "$folder" ] || fail "Cannot write to $folder" "no permission" "run sudo chown -R $(id -un) $(printf %q "$1"), or $4"
    free=$(df -Pk "$folder" | awk 'NR == 2 {print int($4 / 1024)}')
    [ "$free" -ge "$2" ] || fail "Not enough disk space for $3" "$folder has $(space "$free") free, $(space "$2") are needed" "free some and run $again, or $4"
}

# The cache must be ours, with all in it: a start by root may have left some of it to root.
require_cache() {
    local place
    mkdir -p "$cache/logs" 2>/dev/null || [ -e "$cache" ] || fail "Cannot make $cache" "no permission" "$elsewhere"
    for place in "$cache" "$cache"/logs "$cache"/logs/* "$cache"/torch.lock "$cache"/wheels "$cache"/wheels/*; do
        if [ -e "$place" ] && [ ! -w "$place" ]; then
            fail "Cannot write to $place" "no permission" "run sudo chown -R $(id -un) $(printf %q "$cache"), or $elsewhere"
        fi
    done
    [ -d "$cache/logs" ] || fail "Cannot write to $cache" "it is no folder" "run rm $(printf %q "$cache"), or $elsewhere"
}

check_machine() {
    [ "$(uname -s)" = Linux ] || fail "Cannot set up on $(uname -s)" "the engine is built for Linux" "use a Linux machine or container"
    [ "$(uname -m)" = x86_64 ] || fail "Cannot set up on $(uname -m)" "the pinned LibTorch is for x86-64" "use an x86-64 machine"
    grep -qw avx2 /proc/cpuinfo || fail "This processor lacks AVX2" "LibTorch and the optimizer kernels need it" "use one of 2013 or later; a virtual machine needs the host's (qemu: -cpu host)"
}

missing_packages() {
    local wanted
    wanted=$(sed -e 's/#.*//' "$packages_file" | xargs)
    command -v dpkg-query >/dev/null || { echo "$wanted"; return; }
    # dpkg-query fails when one of them is unknown; what it does not print is missing.
    # shellcheck disable=SC2086
    { dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' $wanted 2>/dev/null || true; } | awk '$2 == "ii" {print $1}' |
        sort -u | comm -13 - <(tr ' ' '\n' <<<"$wanted" | sort -u) | xargs
}

# apt_get LOG ARGUMENT...: waits for another program that installs; sudo drops the proxies, so they are handed over.
apt_get() {
    local log=$1 settings=(DEBIAN_FRONTEND=noninteractive) name
    shift
    for name in http_proxy https_proxy no_proxy; do [ -z "${!name:-}" ] || settings+=("$name=${!name}"); done
    # shellcheck disable=SC2154
    run_step "$log" $elevate env "${settings[@]}" apt-get "$@" -o DPkg::Lock::Timeout=300
}

not_installed() {
    if [ $lists = old ]; then
        grep -E '^E:' "$lists_log" | head -n 3 >&2 || tail -n 3 "$lists_log" >&2
        fail "Cannot reach the package mirror" "offline, or a proxy is needed (http_proxy, https_proxy)" "mend that and run $again, or as root: $by_hand"
    fi
    grep -E '^E:' "$log" | head -n 5 >&2 || tail -n 5 "$log" >&2
    if grep -q 'Unable to locate package\|no installation candidate' "$log"; then
        fail "A package does not exist here" "this release is older than Debian 12 or Ubuntu 24.04" "use one of those, or install the equivalents of: $missing"
    fi
    if grep -q 'enough free space\|No space left' "$log"; then
        fail "Packages were not installed" "the disk is full" "free 3 GiB on it (as root, apt-get clean frees some) and run $again"
    fi
    if grep -q 'Could not get lock' "$log"; then
        fail "Packages were not installed" "another program is installing packages" "wait for it and run $again"
    fi
    if grep -q 'Failed to fetch' "$log"; then
        fail "Cannot fetch the packages" "the mirror or the network broke off" "run $again: it goes on there, or as root: $by_hand"
    fi
    fail "Packages were not installed" "see above, all output is in $log" "run $again, or as root: $by_hand"
}

install_packages() {
    local missing elevate='' log="$cache/logs/packages.log" lists_log="$cache/logs/package-lists.log" lists=new
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    local by_hand="apt-get update && apt-get install -y --no-install-recommends $missing"
    require_cache
    command -v apt-get >/dev/null ||
        fail "Packages are missing" "this is no Debian-like system, so they cannot be installed from here" "install your system's equivalents of: $missing"
    if [ "$(id -u)" != 0 ]; then
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
            elevate=sudo
            [ ! -t 0 ] || sudo -v || fail "Packages are missing" "sudo refused" "as root: $by_hand"
        else
            fail "Packages are missing" "neither root nor sudo to install them" "as root: $by_hand"
        fi
    fi
    say "installing packages (compiler, Qt, libraries): $missing"
    # Without all lists, those of an earlier time may still do: one broken third-party source must not stop us.
    apt_get "$lists_log" update -o APT::Update::Error-Mode=any || lists=old
    local install=(install -y --no-install-recommends)
    # shellcheck disable=SC2206
    install+=($missing)
    if ! apt_get "$log" "${install[@]}"; then
        # An installation that was interrupted, ours or another, is finished first.
        if ! grep -q 'dpkg was interrupted' "$log" || ! run_step "$log" $elevate dpkg --configure -a || ! apt_get "$log" "${install[@]}"; then
            not_installed
        fi
    fi
    missing=$(missing_packages)
    [ -z "$missing" ] || fail "Packages are still missing" "apt-get did not install $missing" "as root: $by_hand"
}

torch_folder() { echo "$cache/torch-$torch_version-$(sha256sum "$torch_requirements" | cut -c1-12)"; }

wheel_options=(--no-deps --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64
    --platform manylinux_2_18_x86_64 --platform manylinux2014_x86_64 --platform manylinux2010_x86_64)

python() { "${STAGECRAFT_PYTHON:-/usr/bin/python3}" "$@"; }

# What a user set for packages of his own must not touch ours.
pip_wheels() { PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 python -m pip --disable-pip-version-check "$@" "${wheel_options[@]}"; }

bytes_of() { du -sb "$1" 2>/dev/null | cut -f1; }

# tell_fetch WHAT LOG PLACE: while PLACE, a file or a folder, is filled, says how much is there. A terminal sees one line that
# changes; else a line for each tenth. The size stands in LOG as soon as it is known.
tell_fetch() {
    local what=$1 log=$2 place=$3 owner=$$ total='' bytes='' tenth=0 words began=$SECONDS before
    before=$(bytes_of "$place")
    while sleep 0.5 >/dev/null 2>&1 && kill -0 "$owner" 2>/dev/null; do
        [ -n "$total" ] || total=$(awk 'match($0, /\([0-9.]+ [kMG]?B\)/) && /Downloading|Unpacking/ {
            split(substr($0, RSTART + 1, RLENGTH - 2), size, " ")
            factor["B"] = 1; factor["kB"] = 1e3; factor["MB"] = 1e6; factor["GB"] = 1e9; printf "%.0f", size[1] * factor[size[2]]; exit}' "$log" 2>/dev/null)
        bytes=$(bytes_of "$place")
        [ "${total:-0}" -gt 0 ] && [ "${bytes:-0}" -gt 0 ] || continue
        [ "$bytes" -le "$total" ] || bytes=$total
        [ "$bytes" -ge "${before:-0}" ] || before=0
        words="$what: $((bytes / 1000000)) of $((total / 1000000)) MB, $((100 * bytes / total)) %"
        if [ -t 2 ]; then
            [ $((SECONDS - began)) -lt 2 ] || words="$words, $(((bytes - ${before:-0}) / 1000 / (SECONDS - began))) kB/s"
            printf '\r\033[Kworkbench: %s' "$words" >&2
        elif [ $((10 * bytes / total)) -gt "$tenth" ]; then
            tenth=$((10 * bytes / total))
            say "$words"
        fi
    done
}

# with_telling WHAT LOG PLACE COMMAND...: the command in the foreground, so that an interrupt reaches it; the telling beside it.
with_telling() {
    local what=$1 log=$2 place=$3 status=0
    shift 3
    mkdir -p "$(dirname "$log")"
    : >"$log"
    tell_fetch "$what" "$log" "$place" 7>&- &
    teller=$!
    "$@" >"$log" 2>&1 </dev/null || status=$?
    end_teller
    return $status
}

# fetch_wheel REQUIREMENT LOG WHEELS: what an interrupted start has fetched stays in WHEELS/HASH.part, and the next one goes on
# there. Where the index or its server is of another kind than we know, pip does it in its own way.
fetch_wheel() {
    local name=${1%% *} log=$2 wheels=$3 part why status=0
    part="$wheels/${1##*:}.part"
    if [ -s "$part" ]; then say "going on: $(($(bytes_of "$part") / 1000000)) MB of $name are here already"; fi
    with_telling "$name" "$log" "$part" python "$root/cmake/fetch_wheel.py" "$1" "$part" "$wheels" "${wheel_options[@]}" || status=$?
    [ $status != 0 ] || return 0
    why=$(tail -n 1 "$log")
    local kept="what is here is kept" standard="run PIP_INDEX_URL=https://pypi.org/simple $again"
    case $status in
        4) fail "Cannot fetch $name" "$why" "connect to the network (https_proxy for a proxy, PIP_INDEX_URL for a mirror) and run $again: $kept" ;;
        5) fail "Cannot fetch $name" "the proxy refuses: $why" "run https_proxy=http://USER:PASSWORD@HOST:PORT $again (or unset it): $kept" ;;
        6) fail "Cannot fetch $name" "the disk is full ($why)" "free 3 GiB below $cache and run $again: $kept; or $elsewhere" ;;
        7) fail "The download of $name is damaged or was replaced" "$why, which is not the pinned one" "$standard" ;;
        8) fail "Cannot fetch $name" "$why" "run sudo chown -R $(id -un) $(printf %q "$cache") and $again, or $elsewhere" ;;
        9) fail "Cannot fetch $name" "no secure connection to $why" "run PIP_CERT=FILE $again with the certificates of your proxy or mirror: $kept" ;;
        130) kill -INT $$ ;;  # only the download was told to stop
    esac
    say "pip fetches $name itself, from the beginning ($why)"
    status=0
    # What an interrupted pip left is of no use; and /tmp may be too small for it.
    rm -rf "$wheels/under_way"
    mkdir -p "$wheels/under_way"
    printf '%s\n' "$1" >"$wheels/one.txt"
    PYTHONUNBUFFERED=1 TMPDIR="$wheels/under_way" with_telling "$name" "$log" "$wheels/under_way" \
        pip_wheels download --require-hashes --progress-bar off -d "$wheels" -r "$wheels/one.txt" || status=$?
    rm -rf "$wheels/under_way"
    [ $status != 0 ] || return 0
    tail -n 3 "$log" >&2
    if grep -qi 'do not match the hashes' "$log"; then
        fail "The download of $name is damaged or was replaced" "its hash differs from the pinned one" "$standard"
    fi
    if grep -qi 'No space left' "$log"; then fail "Cannot fetch $name" "the disk is full" "free 3 GiB below $cache and run $again"; fi
    if grep -q 'No matching distribution\|404 Client Error\|HTTP error 404' "$log"; then
        case $why in *no-index*) standard="run PIP_NO_INDEX=0 ${standard#run }" ;; esac
        fail "Cannot fetch $name" "the package index of this machine has no such file" "$standard"
    fi
    if grep -qi 'connection\|retr\|timed out\|temporary failure\|proxy' "$log"; then
        fail "Cannot fetch $name" "offline, or a proxy is needed (https_proxy, or PIP_INDEX_URL for a mirror)" "mend that and run $again: finished downloads are kept"
    fi
    fail "Cannot fetch $name" "see above, all output is in $log" "mend that and run $again, or PIP_CONFIG_FILE=/dev/null $again to leave pip's settings out"
}

end_teller() {
    [ -n "${teller:-}" ] || return 0
    kill "$teller" 2>/dev/null || true
    wait "$teller" 2>/dev/null || true
    teller=''
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# unpack_wheels WHEELS TARGET. pip unpacks in its temporary folder and moves: /tmp may be too small, and another disk.
unpack_wheels() {
    echo "Unpacking ($(python -c 'import sys, zipfile; print(sum(f.file_size for w in sys.argv[1:] for f in zipfile.ZipFile(w).filelist))' "$1"/*.whl) B)"
    TMPDIR="$1/under_way" pip_wheels install --no-index --find-links "$1" --no-compile --ignore-requires-python --target "$2" \
        --progress-bar off --require-hashes -r "$torch_requirements"
}

# Downloads, wheel by wheel; unpacks into a temporary name and renames, so that the folder is either whole or absent. One lock
# for all clones of this user.
fetch_torch() {
    local folder log="$cache/logs/torch.log" wheels="$cache/wheels" line
    folder=$(torch_folder)
    [ ! -e "$folder/torch/lib/libtorch_cpu.so" ] || return 0
    require_cache
    exec 7>"$cache/torch.lock"
    if ! flock -n 7; then
        say "waiting for another set-up that fetches LibTorch"
        flock 7
    fi
    if [ -e "$folder/torch/lib/libtorch_cpu.so" ]; then exec 7>&-; return 0; fi
    require_space "$cache" 3072 "LibTorch" "$elsewhere"
    mkdir -p "$wheels"
    while IFS= read -r line; do
        case $line in '' | \#*) continue ;; esac
        say "fetching ${line%% *}"
        fetch_wheel "$line" "$log" "$wheels"
    done <"$torch_requirements"
    say "unpacking LibTorch"
    rm -rf "$folder.partial" "$wheels/under_way"
    mkdir -p "$wheels/under_way"
    if ! with_telling LibTorch "$log" "$wheels/under_way" unpack_wheels "$wheels" "$folder.partial"; then
        tail -n 3 "$log" >&2
        rm -rf "$folder.partial" "$wheels/under_way"
        if grep -qi 'No space left' "$log"; then fail "Cannot unpack LibTorch" "the disk is full" "free 3 GiB below $cache and run $again"; fi
        fail "Cannot unpack LibTorch" "see above, all output is in $log" "mend that and run $again, or rm -r $(printf %q "$cache/wheels") and $again"
    fi
    mv "$folder.partial" "$folder"
    rm -rf "$wheels"
    exec 7>&-
}

# A build from before the folder moved, or of another LibTorch, must be configured again; otherwise ninja does so itself.
configure() {
    local log="$root/build/configure.log" werror=OFF
    [ -z "${CI:-}" ] || werror=ON
    local stamp
    stamp="$(torch_folder) werror=$werror root=$root presets=$(sha256sum <"$root/CMakePresets.json")"
    if [ -e "$build/build.ninja" ] && [ "$(cat "$build/workbench.stamp" 2>/dev/null)" = "$stamp" ]; then return 0; fi
    say "configuring"
    export STAGECRAFT_COMPILER_LAUNCHER STAGECRAFT_LINKER_FLAG
    STAGECRAFT_COMPILER_LAUNCHER=$(command -v ccache || true)
    STAGECRAFT_LINKER_FLAG=$(command -v mold >/dev/null && echo -fuse-ld=mold || true)
    if ! (cd "$root" && run_step "$log" cmake --preset "$preset" -DLIBTORCH_ROOT="$(torch_folder)" -DSTAGECRAFT_WERROR=$werror); then
        grep -A6 'CMake Error' "$log" | head -n 20 >&2 || tail -n 10 "$log" >&2
        fail "The configuration failed" "see above, all output is in build/configure.log" "mend it and run $again"
    fi
    printf '%s' "$stamp" >"$build/workbench.stamp"
}

# What a build has to do still, in steps. The list of steps is brought up to date first, and read under another name: a dry run
# would stop at the question whether it is.
steps_left() {
    ninja -C "$build" build.ninja >/dev/null 2>&1 || { echo 1; return 0; }  # the build itself will say why
    ln -sfn build.ninja "$build/steps.ninja"
    NINJA_STATUS='[%f/%t] ' ninja -C "$build" -f steps.ninja -n "$@" 2>/dev/null | grep -c '^\[' || true
}

build_targets() {  # build_targets "words for the user" TARGET...
    local what=$1 per_step=4 steps otherwise
    shift
    otherwise="clone it to another folder and run $again there"
    # Measured: a whole release build with its tests takes 0.65 MiB a step; symbols and sanitizers take several times as much.
    case $preset in release | ci) per_step=1 ;; esac
    [ -e "$build/build.ninja" ] || require_space "$root" $((800 * per_step)) "the build" "$otherwise"
    configure
    steps=$(steps_left "$@")
    [ "$steps" != 0 ] || return 0
    require_space "$root" $((64 + steps * per_step)) "the build" "$otherwise"
    say "building $what"
    local log="$build/build.log"
    if ! run_step "$log" ninja -C "$build" -k 20 "$@"; then
        grep -E -A8 'error|FAILED' "$log" | head -n 40 >&2 || true
        fail "The build failed" "the first errors are above, all output is in build/$preset/build.log" "mend them and run $again: what is built is kept"
    fi
    # Continuous integration builds with -Werror, all but what cmake/StagecraftTargets.cmake takes out of it.
    local warned
    warned=$(grep -E 'warning: ' "$log" | grep -vE -- '-W(array-bounds|stringop-|maybe-uninitialized|free-nonheap-object|dangling-pointer)' | sort -u | head -n 3 || true)
    if [ -n "$warned" ]; then say "the compiler warned, which continuous integration refuses:"; printf '%s\n' "$warned" >&2; fi
}

# The steps before configuring, in order; each is free when there is nothing to do.
set_up() {
    check_machine
    install_packages
    fetch_torch
    # Some images export a LIBRARY_PATH of their own: a link that works only because of it would break elsewhere.
    unset LIBRARY_PATH
    # Another clone of the same sources takes its objects from the compiler cache.
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}

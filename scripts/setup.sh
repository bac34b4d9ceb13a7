#!/usr/bin/env bash
# Everything between a fresh machine and the programs in build/bin; with nothing to do it takes about a second.
#   scripts/setup.sh [programs|tests]     what to build and install for; programs is the default
# ORBIT_TORCH_DIR=.../site-packages/torch uses that PyTorch 2.11 instead of installing one into .venv.
# Exit codes: 1 a step failed, 2 something must be installed first.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
purpose="${1:-programs}"
case "$purpose" in
  programs | tests) ;;
  *) echo "setup.sh: unknown purpose \"$purpose\"; programs or tests" >&2; exit 2 ;;
esac
cd "$root"
exec 9< "$root/scripts/setup.sh"
flock 9  # one set-up at a time in this folder

fail() { echo "setup.sh: $2" >&2; exit "$1"; }
say() { echo "-- $*"; }

# package of Debian and Ubuntu : a command or header that shows it is there
system_packages=(
  cmake:cmake ninja-build:ninja g++:g++ zlib1g-dev:zlib.h libspdlog-dev:spdlog/spdlog.h libfmt-dev:fmt/core.h
  libyaml-cpp-dev:yaml-cpp/yaml.h libcxxopts-dev:cxxopts.hpp nlohmann-json3-dev:nlohmann/json.hpp libgtest-dev:gtest/gtest.h
)

[ "$purpose" = programs ] || system_packages+=(clang:clang++)  # libFuzzer

have() {
  case "$1" in
    *.h | *.hpp)
      for folder in /usr/include /usr/local/include ${CPATH//:/ }; do [ -e "$folder/$1" ] && return 0; done
      return 1 ;;
    *) command -v "$1" > /dev/null ;;
  esac
}
CPATH="${CPATH:-}"

missing_packages() {
  for entry in "${system_packages[@]}"; do have "${entry#*:}" || echo "${entry%%:*}"; done
  [ -n "$(find_python)" ] || echo python3-venv
}

# The first Python of 3.11 or later that can make virtual environments; for a given Torch, the one of its version.
find_python() {
  local candidates=(/usr/bin/python3 python3 python3.11 python3.12 python3.13 python3.14) want=""
  if [ -n "${ORBIT_TORCH_DIR:-}" ]; then
    want="$(sed -n 's|.*/python\(3\.[0-9]*\)/.*|\1|p' <<< "$ORBIT_TORCH_DIR")"
    candidates=("${ORBIT_TORCH_DIR%/lib/python3*}/bin/python3" "${candidates[@]}")
  fi
  for python in "${candidates[@]}"; do
    if "$python" -c "
import ensurepip, sys, venv
version = '%d.%d' % sys.version_info[:2]
sys.exit(sys.version_info < (3, 11) or '$want' not in ('', version))" 2> /dev/null; then
      echo "$python"
      return
    fi
  done
}

install_system_packages() {
  local missing sudo=""
  missing="$(missing_packages | tr '\n' ' ')"
  missing="${missing% }"
  [ -z "$missing" ] && return
  command -v apt-get > /dev/null || fail 2 "missing on this machine (Debian's names): $missing; install them and start again"
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2> /dev/null || fail 2 "missing: $missing; run: sudo apt-get install $missing"
    sudo=sudo
  fi
  say "installing system packages: $missing ccache"
  $sudo apt-get update -q
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing ccache ||
    fail 1 "apt-get could not install: $missing"
  missing="$(missing_packages | tr '\n' ' ')"
  [ -z "$missing" ] || fail 2 "still missing after the installation: ${missing% } (Python 3.11 or later is needed)"
}

# Installs a file of pinned packages into .venv unless exactly these are there.
install_requirements() {
  local file="$1"
  shift
  local stamp=".venv/$(basename "$file").installed"
  cmp -s "$file" "$stamp" && return
  say "installing $file into .venv"
  .venv/bin/python -m pip install -q --disable-pip-version-check "$@" -r "$file" || fail 1 "pip could not install $file"
  cp "$file" "$stamp"
}

prepare_python() {
  if [ -n "${ORBIT_TORCH_DIR:-}" ]; then
    [ -e "$ORBIT_TORCH_DIR/lib/libtorch_cpu.so" ] ||
      fail 2 "ORBIT_TORCH_DIR=$ORBIT_TORCH_DIR holds no lib/libtorch_cpu.so; name a torch package folder"
    [ "$purpose" = tests ] || return 0
  fi
  if ! .venv/bin/python -c "" 2> /dev/null; then
    say "making .venv"
    rm -rf .venv
    "$(find_python)" -m venv .venv || fail 1 "the virtual environment .venv could not be made"
  fi
  if [ -n "${ORBIT_TORCH_DIR:-}" ]; then
    # The tests import torch too; the folder comes last on Python's path.
    for packages in .venv/lib/python3*/site-packages; do dirname "$ORBIT_TORCH_DIR" > "$packages/orbit_torch.pth"; done
  else
    rm -f .venv/lib/python3*/site-packages/orbit_torch.pth
    install_requirements scripts/requirements.txt
  fi
  [ "$purpose" = programs ] || install_requirements scripts/requirements-test.txt --no-deps
}

# Torch's headers take 1.4 GB a compiler; a linker or two fit beside them.
build_jobs() {
  local memory_gb cores
  memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo 2> /dev/null || echo 4)
  cores=$(nproc)
  local fit=$((memory_gb * 2 / 3))
  [ "$fit" -ge 1 ] || fit=1
  echo $((fit < cores ? fit : cores))
}

build() {
  local torch="${ORBIT_TORCH_DIR:-$(echo "$root"/.venv/lib/python3*/site-packages/torch)}"
  if [ ! -e build/build.ninja ] || ! grep -qxF "ORBIT_TORCH_DIR:PATH=$torch" build/CMakeCache.txt; then
    say "configuring into build/"
    cmake --preset release -DORBIT_TORCH_DIR="$torch" || fail 1 "cmake could not configure; its messages are above"
  fi
  local targets=()
  [ "$purpose" = tests ] || targets=(--target orbit_programs)
  # Silent where nothing is to be done.
  cmake --build build "${targets[@]}" -j "$(build_jobs)" 2>&1 |
    sed -u '/Re-checking globbed directories/d; /ninja: no work to do/d' || fail 1 "the build failed; its messages are above"
}

install_system_packages
prepare_python
build

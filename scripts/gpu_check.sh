#!/usr/bin/env bash
# Every check that needs a GPU, in under 8 minutes: one line a check, a table last.
#   scripts/gpu_check.sh                     on a machine with the project built and a GPU
#   scripts/gpu_check.sh --pack FOLDER       gathers what another machine needs (programs, libraries, checks, data; under 60 MiB)
#   FOLDER/gpu_check.sh                      there; needs Python with torch 2.11
#   ... --device cpu                         a dry run of the same code on the CPU, which proves nothing about a GPU
#   ... --only NAME[,NAME]  --json FILE      some checks; one JSON object a check
# Exit codes: 0 all passed, 1 a check failed, 2 bad usage or no GPU.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

fail() { echo "gpu_check.sh: $2" >&2; exit "$1"; }

pack() {
  local root="$here/.." to="$1" build
  build="${ORBIT_BUILD_DIR:-$root/build}"
  [ -x "$build/bin/orbit_train" ] || fail 2 "$build/bin/orbit_train: not there; build first (scripts/setup.sh)"
  [ ! -e "$to" ] || [ -z "$(ls -A "$to")" ] || fail 2 "$to: not empty"
  mkdir -p "$to/bin" "$to/lib" "$to/traces" "$to/configs" "$to/python"
  for program in orbit_train orbit_bench orbit_parity; do strip -o "$to/bin/$program" "$build/bin/$program"; done
  strip -o "$to/lib/liborbit_ops.so" "$build/lib/liborbit_ops.so"
  # What a machine with Torch may lack; the programs find it by their run path $ORIGIN/../lib.
  ldd "$build/bin/orbit_train" | awk '/libspdlog|libfmt|libyaml-cpp|libz\.so|libstdc\+\+|libgomp/ && $3 ~ /^\/(usr\/)?lib/ {print $3}' |
    xargs -I{} cp -L {} "$to/lib/"
  cp "$root"/tests/data/traces/{light-2p-a,light-4p-a,comet-2p-a,greedy-2p-b}.jsonl.gz "$to/traces/"
  cp "$root/configs/ppo.yaml" "$to/configs/"
  cp -r "$root/python/orbit_train" "$to/python/"
  cp "$here/gpu_check.sh" "$here/gpu_check.py" "$to/"
  pack_sanitizer "$to"
  local size
  size="$(du -sm "$to" | cut -f1)"
  [ "$size" -le 60 ] || fail 1 "$to: $size MiB, more than 60"
  echo "$to: $size MiB; copy it to the other machine and run $(basename "$to")/gpu_check.sh"
}

# NVIDIA's memory checker, from PyPI. Without it that check says "skipped".
pack_sanitizer() {
  local python="$here/../.venv/bin/python" unpacked
  unpacked="$(mktemp -d)"
  if "$python" -m pip install --quiet --no-deps --target "$unpacked" nvidia-cuda-sanitizer-api==13.0.85; then
    mkdir -p "$1/sanitizer"
    cp "$unpacked"/nvidia/cu13/bin/{compute-sanitizer,libsanitizer-collection.so} "$1/sanitizer/"
    cp "$unpacked"/nvidia/cu13/lib/lib{TreeLauncher*,Interceptor*,sanitizer-public}*.so "$1/sanitizer/"
  else
    echo "gpu_check.sh: no compute-sanitizer in the bundle: it could not be installed" >&2
  fi
  rm -rf "$unpacked"
}

if [ "${1:-}" = --pack ]; then
  [ $# = 2 ] || fail 2 "--pack takes the folder to make"
  pack "$2"
  exit
fi

python="" root="$here/.."
for candidate in "$root/.venv/bin/python" python3 python; do
  if "$candidate" -c 'import torch, sys; sys.exit(not torch.__version__.startswith("2.11."))' 2> /dev/null; then python="$candidate"; break; fi
done
[ -n "$python" ] || fail 2 "no Python with torch 2.11 found"
torch_folder="$("$python" -c 'import torch, os; print(os.path.dirname(torch.__file__))')"
export LD_LIBRARY_PATH="$torch_folder/lib:$torch_folder/../nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec timeout --signal=INT 480 "$python" "$here/gpu_check.py" "$@"

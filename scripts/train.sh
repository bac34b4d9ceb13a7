#!/usr/bin/env bash
# Sets up what is missing, then trains: scripts/train.sh [ARGUMENTS OF orbit_train]
# Without --config the run is that of configs/ppo.yaml. The exit code is orbit_train's, or setup.sh's where that fails.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
"$root/scripts/setup.sh" programs

config=("--config" "$root/configs/ppo.yaml")
[ "$PWD" = "$root" ] && config=("--config" "configs/ppo.yaml")
previous=""
for argument in "$@"; do
  case "$argument" in
    --config | --config=*) config=() ;;
  esac
  # A run that is named goes on under its own settings, whatever config began it.
  [ "$previous" = --resume ] && [ "$argument" != auto ] && config=()
  case "$argument" in
    --resume=auto) ;;
    --resume=*) config=() ;;
  esac
  previous="$argument"
done
exec "$root/build/bin/orbit_train" "${config[@]}" "$@"

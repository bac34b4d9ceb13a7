#!/usr/bin/env bash
# Sets up what is missing, then runs every test: ctest (C++), then pytest.
#   scripts/test.sh           the short form, under 20 minutes after the build
#   scripts/test.sh --full    long fuzzing, every mode under fibres, full learning runs too (ORBIT_FULL_TESTS=1)
# Exit codes: 0 all passed, 1 a test failed, 2 bad usage or something must be installed first.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
case "$*" in
  "") form=short ;;
  --full) form=full; export ORBIT_FULL_TESTS=1 ;;
  *) echo "test.sh: unknown arguments \"$*\"; none, or --full" >&2; exit 2 ;;
esac
"$root/scripts/setup.sh" tests

cd "$root"
ctest_result=passed pytest_result=passed
ctest --test-dir build --no-tests=error --output-on-failure -j "$(nproc)" || ctest_result=FAILED
.venv/bin/python -m pytest -q tests/python || pytest_result=FAILED
echo "test.sh ($form form): ctest $ctest_result, pytest $pytest_result"
[ "$ctest_result $pytest_result" = "passed passed" ]

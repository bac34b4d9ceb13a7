"""The checkpoint readers under libFuzzer, the address and the undefined-behaviour sanitizer: a minute from a corpus of small real
and hostile files; ORBIT_FUZZ_SECONDS=3600 for an hour."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))
SECONDS = int(os.environ.get("ORBIT_FUZZ_SECONDS", 60))


@pytest.fixture(scope="module")
def fuzzer():
    if not any(shutil.which(name) for name in ("clang++", "clang++-14", "clang++-15", "clang++-16")):
        pytest.skip("needs clang++ (scripts/setup.sh tests installs it where apt-get is)")
    subprocess.run(["cmake", BUILD], check=True, capture_output=True)  # finds a clang++ that came after the configuration
    subprocess.run(["cmake", "--build", BUILD, "--target", "pt_fuzz"], check=True, capture_output=True)
    return BUILD / "bin" / "pt_fuzz"


def test_no_finding(fuzzer, tmp_path):
    corpus = tmp_path / "corpus"
    subprocess.run([sys.executable, ROOT / "tests/fuzz/make_corpus.py", corpus], check=True, capture_output=True)
    assert len(list(corpus.iterdir())) > 50
    limits = ["-max_len=16384", "-rss_limit_mb=2500", "-timeout=20", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run([fuzzer, f"-max_total_time={SECONDS}", *limits, corpus], capture_output=True, text=True, errors="replace",
                          timeout=SECONDS + 120)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Done" in done.stderr  # "Done N runs in S second(s)"
    print(done.stderr.splitlines()[-1])

"""Damaged, hostile and foreign files: one clear line, bounded memory, no crash."""
import io
import os
import pickle
import random
import subprocess
import zipfile

import pytest
import torch

from checkpoint_files import PARITY, checksums_written, inspect, module, strided, whole_checkpoint
from hostile_files import HOSTILE_PICKLES, HOSTILE_TENSORS, tensor_pickle, with_pickle


@pytest.mark.parametrize("case", HOSTILE_TENSORS)
def test_hostile_tensors(tmp_path, case):
    change, code = HOSTILE_TENSORS[case]
    with_pickle(tmp_path / "a.pt", tensor_pickle(**change))
    inspect(tmp_path / "a.pt", "--json", "-", code=code)


@pytest.mark.parametrize("case", HOSTILE_PICKLES)
def test_hostile_pickles(tmp_path, case):
    data, code = HOSTILE_PICKLES[case]
    with_pickle(tmp_path / "a.pt", data)
    command = [PARITY, "inspect", tmp_path / "a.pt", "--json", "-"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == code, error
    assert len(error.splitlines()) == (1 if code else 0)
    assert used.ru_maxrss < 2_000_000, "kilobytes of memory"


def test_other_files(tmp_path):
    path = tmp_path / "a.pt"
    state = module().state_dict()
    torch.save(state, path, _use_new_zipfile_serialization=False)
    assert b"before PyTorch 1.6" in inspect(path, code=2).stderr and b"torch.save" in inspect(path, code=2).stderr
    pointer = b"version https://git-lfs.github.com/spec/v1\n"
    for data in (b"", b"PK", b"hello", pickle.dumps({"a": 1}), os.urandom(1000), pointer):
        path.write_bytes(data)
        inspect(path, code=2)
    inspect(tmp_path / "missing.pt", code=2)
    inspect(tmp_path, code=2)
    inspect("/dev/zero", code=2)
    torch.save(state, path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "b.pt", "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info), zipfile.ZIP_DEFLATED)
    assert b"compressed" in inspect(tmp_path / "b.pt", code=2).stderr
    with zipfile.ZipFile(tmp_path / "c.pt", "w") as archive:
        archive.writestr("a/other", b"")
    assert b"data.pkl" in inspect(tmp_path / "c.pt", code=2).stderr


def test_truncations(tmp_path):
    """A sample; pt_file_test.cpp takes every length."""
    buffer = io.BytesIO()
    torch.save({"a": torch.ones(3), "b": [1, "x"]}, buffer)
    whole = buffer.getvalue()
    for length in [*range(0, len(whole), 149), len(whole) - 1]:
        (tmp_path / "a.pt").write_bytes(whole[:length])
        inspect(tmp_path / "a.pt", code=2)


def test_random_damage(tmp_path):
    seed = int(os.environ.get("ORBIT_TEST_SEED", random.randrange(2**32)))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    rng = random.Random(seed)
    files = []
    for checksums in (True, False):  # with them, few flips get past the first comparison
        with checksums_written(checksums):
            buffer = io.BytesIO()
            torch.save({**whole_checkpoint(), **strided()}, buffer)
            files.append(buffer.getvalue())
    for _ in range(20):  # pt_file_test.cpp takes thousands
        damaged = bytearray(rng.choice(files))
        for _ in range(rng.choice([1, 1, 2, 8, 64])):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        (tmp_path / "a.pt").write_bytes(damaged)
        done = subprocess.run([PARITY, "inspect", tmp_path / "a.pt", "--json", "-"], capture_output=True, timeout=60)
        assert done.returncode in (0, 2), (seed, done.returncode, done.stderr)
        assert len(done.stderr.splitlines()) == (1 if done.returncode else 0)

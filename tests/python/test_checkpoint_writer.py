"""Files that we wrote, read by Python: torch.load(weights_only=True), AdamW, .safetensors."""
import struct
import subprocess
import zipfile

import pytest
import torch

from checkpoint_files import FORMS, PARITY, equal, inspect, module, read, same, trained, write_safetensors


@pytest.mark.parametrize("form", FORMS)
def test_python_reads_what_we_write(tmp_path, form):
    value = FORMS[form]()
    torch.save(value, tmp_path / "a.pt")
    inspect(tmp_path / "a.pt", "--rewrite", tmp_path / "b.pt")
    for mmap in (False, True):
        assert equal(torch.load(tmp_path / "b.pt", weights_only=True, mmap=mmap), value)
    # The same values give the same bytes, from another file under another name.
    torch.save(value, tmp_path / "other.pt", pickle_protocol=4)
    inspect(tmp_path / "other.pt", "--rewrite", tmp_path / "c.pt")
    assert (tmp_path / "b.pt").read_bytes() == (tmp_path / "c.pt").read_bytes()
    assert zipfile.ZipFile(tmp_path / "b.pt").testzip() is None


def test_sharing_survives_both_ways(tmp_path):
    base = torch.arange(6.0)
    torch.save({"a": base, "b": base[2:], "c": base.clone()}, tmp_path / "a.pt")
    seen = read(tmp_path / "a.pt")
    assert seen["a",]["storage"] == seen["b",]["storage"] != seen["c",]["storage"]
    inspect(tmp_path / "a.pt", "--rewrite", tmp_path / "b.pt")
    loaded = torch.load(tmp_path / "b.pt", weights_only=True)
    loaded["a"][2] = 100
    assert loaded["b"][0] == 100 and loaded["c"][2] == 2


def test_adamw_continues_from_our_file(tmp_path):
    torch.manual_seed(1)
    net, optimizer = trained()
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "a.pt")
    inspect(tmp_path / "a.pt", "--rewrite", tmp_path / "b.pt")
    loaded = torch.load(tmp_path / "b.pt", weights_only=True)
    other = module()
    other.load_state_dict(loaded["model"])
    continued = torch.optim.AdamW(other.parameters(), lr=1.0)
    continued.load_state_dict(loaded["optimizer"])
    batches = [torch.randn(5, 4) for _ in range(5)]
    for model, step in ((net, optimizer), (other, continued)):
        for batch in batches:
            step.zero_grad()
            model(batch).square().mean().backward()
            step.step()
    assert equal(net.state_dict(), other.state_dict())


def test_safetensors(tmp_path):
    value = {"a": torch.randn(2, 3), "b": torch.randn(5).bfloat16(), "c": torch.tensor(7),
             "d": torch.tensor([True, False, True]), "e": torch.empty(0, 4), "f": torch.ones(3, dtype=torch.uint16),
             "g": torch.randn(3).to(torch.float8_e4m3fn)}
    write_safetensors(tmp_path / "a.safetensors", value)
    same(read(tmp_path / "a.safetensors"), value)
    inspect(tmp_path / "a.safetensors", "--rewrite", tmp_path / "b.pt")
    assert equal(torch.load(tmp_path / "b.pt", weights_only=True), value)
    inspect(tmp_path / "b.pt", "--rewrite", tmp_path / "c.safetensors")
    same(read(tmp_path / "c.safetensors"), value)
    whole = (tmp_path / "c.safetensors").read_bytes()
    assert struct.unpack("<Q", whole[:8])[0] % 8 == 0
    for length in range(0, len(whole), 97):  # every length: tests/src/checkpoint/pt_file_test.cpp
        (tmp_path / "d.safetensors").write_bytes(whole[:length])
        inspect(tmp_path / "d.safetensors", code=2)


def test_full_disk_keeps_the_old_file(tmp_path):
    torch.save({"a": torch.randn(100_000)}, tmp_path / "big.pt")
    target = tmp_path / "old.pt"
    target.write_bytes(b"the old file")
    command = f"trap '' XFSZ; ulimit -f 64; '{PARITY}' inspect '{tmp_path / 'big.pt'}' --rewrite '{target}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True)
    assert done.returncode == 1 and str(target).encode() in done.stderr and len(done.stderr.splitlines()) == 1
    assert target.read_bytes() == b"the old file" and sorted(p.name for p in tmp_path.iterdir()) == ["big.pt", "old.pt"]
    nowhere = tmp_path / "nowhere" / "x.pt"
    done = subprocess.run([PARITY, "inspect", tmp_path / "big.pt", "--rewrite", nowhere], capture_output=True)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1

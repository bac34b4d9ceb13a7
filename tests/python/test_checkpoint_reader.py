"""Files that Python wrote, read here: every form, dtype and protocol, through `orbit_parity inspect`."""
import json
import os
import pathlib
import struct
import subprocess
import types

import pytest
import torch

from checkpoint_files import (DATA, FORMS, PARITY, PROTOCOLS, checksums_written, element_bytes, equal, every_dtype, inspect, module,
                              read, rezip, same, strided)
from policy_reference import ActorCritic


@pytest.mark.parametrize("form, protocol", [(form, protocol) for form in FORMS for protocol in PROTOCOLS[form]])
def test_reads_what_python_writes(tmp_path, form, protocol):
    value = FORMS[form]()
    torch.save(value, tmp_path / "a.pt", pickle_protocol=protocol)
    same(read(tmp_path / "a.pt"), value)


@pytest.mark.parametrize("name", ["actor_critic_small", "bc_small", "policy"])
def test_fixtures(tmp_path, name):
    value = torch.load(DATA / f"{name}.pt", weights_only=True)
    same(read(DATA / f"{name}.pt"), value)
    inspect(DATA / f"{name}.pt", "--rewrite", tmp_path / "b.pt")
    assert equal(torch.load(tmp_path / "b.pt", weights_only=True), dict(value))


def test_packed_by_another_program(tmp_path):
    """Unaligned records and zip64 fields."""
    value = {**every_dtype(), **strided()}
    torch.save(value, tmp_path / "a.pt")
    rezip(tmp_path / "a.pt", tmp_path / "b.pt")
    same(read(tmp_path / "b.pt"), value)
    inspect(tmp_path / "b.pt", "--rewrite", tmp_path / "c.pt")
    assert equal(torch.load(tmp_path / "c.pt", weights_only=True), value)


def test_more_records_than_16_bits_count(tmp_path):
    value = [torch.tensor([i]) for i in range(66000)]
    torch.save(value, tmp_path / "a.pt")
    inspect(tmp_path / "a.pt", "--rewrite", tmp_path / "b.pt")
    same(read(tmp_path / "b.pt"), value)
    assert torch.equal(torch.cat(torch.load(tmp_path / "b.pt", weights_only=True)), torch.arange(66000))


def test_without_checksums(tmp_path):
    value = {"a": torch.randn(5)}
    with checksums_written(False):
        torch.save(value, tmp_path / "a.pt")
    same(read(tmp_path / "a.pt"), value)


def test_wrong_checksum_is_found(tmp_path):
    value = {"a": torch.arange(1000.0)}
    torch.save(value, tmp_path / "a.pt")
    damaged = bytearray((tmp_path / "a.pt").read_bytes())
    damaged[damaged.find(element_bytes(value["a"])) + 5] ^= 1
    (tmp_path / "a.pt").write_bytes(damaged)
    assert b"checksum" in inspect(tmp_path / "a.pt", code=2).stderr


def test_big_endian(tmp_path):
    value = every_dtype()
    torch.save(value, tmp_path / "a.pt")
    storages = {str(i): tensor for i, tensor in enumerate(value.values())}

    def swap(name, data):
        if name == "byteorder":
            return b"big"
        if not name.startswith("data/"):
            return data
        tensor = storages[name[5:]]
        size = tensor.element_size() // (2 if tensor.is_complex() else 1)
        return b"".join(data[i:i + size][::-1] for i in range(0, len(data), size))

    rezip(tmp_path / "a.pt", tmp_path / "b.pt", swap)
    same(read(tmp_path / "b.pt"), value)
    rezip(tmp_path / "a.pt", tmp_path / "c.pt", lambda name, data: b"middle" if name == "byteorder" else data)
    assert b"byte order" in inspect(tmp_path / "c.pt", code=2).stderr


@pytest.mark.parametrize("device", ["cuda:0", "cuda:13", "mps", "xla:0"])
def test_saved_on_another_device(tmp_path, device):
    value = {"a": torch.randn(3), "b": torch.ones(2, dtype=torch.uint16)}
    torch.save(value, tmp_path / "a.pt")

    def move(name, data):
        there = b"X" + struct.pack("<I", len(device)) + device.encode()
        return data.replace(b"X\x03\0\0\0cpu", there) if name == "data.pkl" else data

    rezip(tmp_path / "a.pt", tmp_path / "b.pt", move)
    seen = read(tmp_path / "b.pt")
    same(seen, value)
    assert seen["a",]["device"] == device


class Unknown:
    def __init__(self, value):
        self.value = value


class UnknownDict(dict):
    pass


def test_unknown_classes_are_opaque(tmp_path, monkeypatch):
    loop = Unknown(None)
    loop.value = {"itself": loop}
    value = {"namespace": types.SimpleNamespace(lr=0.5, shape=(1, 2)), "mine": Unknown(torch.ones(2)), "dict": UnknownDict(a=1),
             "loop": loop, "path": pathlib.PurePosixPath("/x"), "function": os.system,
             "set": {1, 2}, "frozen": frozenset("a"), "after": 1}
    for protocol in (2, 4, 5):
        torch.save(value, tmp_path / "a.pt", pickle_protocol=protocol)
        seen = read(tmp_path / "a.pt")
        assert seen["namespace",]["class"] == "types.SimpleNamespace" and seen["mine",]["class"].endswith(".Unknown")
        assert any(path[:1] == ("mine",) and line["kind"] == "tensor" for path, line in seen.items())
        assert any(line.get("class") == "reference to an enclosing object" for line in seen.values())
        assert seen["function",]["class"] in ("posix.system", "os.system") and seen["set",]["class"] == "builtins.set"
        assert seen["after",]["value"] == 1
    done = subprocess.run([PARITY, "inspect", tmp_path / "a.pt", "--rewrite", tmp_path / "b.pt"], capture_output=True)
    assert done.returncode == 2 and b"SimpleNamespace" in done.stderr and not (tmp_path / "b.pt").exists()


def test_nothing_is_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path / 'ran'}",)

    torch.save(Evil(), tmp_path / "a.pt")
    inspect(tmp_path / "a.pt")
    assert not (tmp_path / "ran").exists()


def weights(path, *arguments):
    lines = inspect(path, *arguments).stdout.decode().splitlines()
    return next(line for line in lines if line.startswith("weights: "))


def test_finds_the_state_dict(tmp_path):
    state, other = module().state_dict(), {"w": torch.ones(3)}
    numbers = sum(tensor.numel() for tensor in state.values())
    expected = f"weights: {len(state)} tensors, {numbers} numbers"
    forms = [state, {"model": state, "ema": other}, {"state_dict": state, "optimizer": {"state": {0: other}}},
             {"anything": state, "epoch": 1}, {"outer": {"model": state}},
             {"model": dict(module().named_parameters()) | dict(module().named_buffers())}, module(), {"net": module()}]
    for form in forms:
        torch.save(form, tmp_path / "a.pt")
        assert weights(tmp_path / "a.pt") == expected, form
    torch.save({"actor": state, "critic": other}, tmp_path / "a.pt")
    line = weights(tmp_path / "a.pt")
    assert "several" in line and "actor, critic" in line
    assert weights(tmp_path / "a.pt", "--key", "actor") == expected
    assert "no key" in inspect(tmp_path / "a.pt", "--key", "nobody", code=2).stderr.decode()
    torch.save({"epoch": 1}, tmp_path / "a.pt")
    assert "no state_dict" in weights(tmp_path / "a.pt")


def fit(path):
    """Which policy of ours the file fits, as JSON and as the line for people."""
    rows = [json.loads(line) for line in inspect(path, "--json", "-").stdout.splitlines()]
    return next(row for row in rows if row["kind"] == "fit"), inspect(path).stdout.decode().splitlines()[-1]


def test_says_which_policy_it_fits(tmp_path):
    released = ActorCritic().state_dict()
    sizes = {"hidden": 192, "inducing_points": 24, "encoder_layers": 4}
    torch.save({"model": {f"module.{name}": tensor for name, tensor in released.items()}, "epoch": 1}, tmp_path / "a.pt")
    row, line = fit(tmp_path / "a.pt")
    assert row["fits"] and row["policy"] == "orbit_v1" and row["sizes"] == sizes and not row["imitation_learned"]
    assert "hidden 192, inducing_points 24, encoder_layers 4" in line

    row, line = fit(DATA / "bc_small.pt")
    assert row["fits"] and row["imitation_learned"] and len(row["missing"]) == 5 and "bc_warmstart" in line

    changed = dict(released)
    del changed["backbone.psi.2.bias"]
    changed["extra.weight"] = torch.ones(2, 3)
    changed["value_head.net.2.weight"] = torch.ones(2, 192)
    torch.save(changed, tmp_path / "b.pt")
    row, line = fit(tmp_path / "b.pt")
    assert not row["fits"] and row["sizes"] == sizes
    assert row["missing"] == ["backbone.psi.2.bias (192)"] and row["unexpected"] == ["extra.weight (2, 3)"]
    assert row["wrong_shape"] == ["value_head.net.2.weight (2, 192) instead of (1, 192)"]
    assert "missing: backbone.psi.2.bias (192); unexpected: extra.weight (2, 3); wrong shape: value_head.net.2.weight (2, 192)" in line

    torch.save(module().state_dict(), tmp_path / "c.pt")
    row, line = fit(tmp_path / "c.pt")
    assert not row["fits"] and row["policy"] == "" and "none of ours" in line
    huge = {"backbone.in_proj.weight": torch.ones(1).expand(2**23, 1), "backbone.encoder.0.inducing": torch.ones(1, 1).expand(1, 2**23)}
    torch.save(huge, tmp_path / "d.pt")  # sizes that nobody means take no memory
    assert not fit(tmp_path / "d.pt")[0]["fits"]


def test_a_large_file(tmp_path):
    """1 GiB: its structure in less than a second, its tensors without a copy of the file in memory."""
    torch.save({"a": torch.zeros(2**28), "b": torch.ones(3)}, tmp_path / "a.pt")
    process = subprocess.Popen([PARITY, "inspect", tmp_path / "a.pt"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, _ = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    (tmp_path / "a.pt").unlink()
    assert process.returncode == 0 and b"1073741824 bytes" in output
    seconds = used.ru_utime + used.ru_stime  # with the program's start and the checksum of all bytes
    print(f"{seconds:.2f} s of processor time")
    assert seconds < 2.5

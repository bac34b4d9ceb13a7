"""Checkpoint files against PyTorch's own reader and writer, through `orbit_parity inspect`."""
import collections
import contextlib
import io
import json
import os
import pathlib
import pickle
import random
import struct
import subprocess
import types
import zipfile
import zlib

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARITY = pathlib.Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_parity"
DATA = ROOT / "tests" / "data" / "features"


def inspect(path, *arguments, code=0):
    done = subprocess.run([PARITY, "inspect", str(path), *map(str, arguments)], capture_output=True, timeout=120)
    assert done.returncode == code, done.stderr
    if code == 0:
        assert done.stderr == b""
    else:
        lines = done.stderr.decode().splitlines()
        assert len(lines) == 1 and str(path) in lines[0], lines
    return done


def read(path):
    """What our reader sees: path -> description."""
    lines = [json.loads(line) for line in inspect(path, "--json", "-").stdout.splitlines()]
    return {tuple(line["path"]): line for line in lines}


def element_bytes(tensor):
    tensor = tensor.detach().contiguous()
    return bytes(tensor.flatten().view(torch.uint8).numpy()) if tensor.numel() else b""


def same(seen, value, path=()):
    """Asserts that the description of `path` and everything below it is that of the Python value."""
    found = seen[path]
    if isinstance(value, torch.Tensor):
        assert found["kind"] == "tensor", path
        assert "torch." + found["dtype"] == str(value.dtype)
        assert found["shape"] == list(value.shape) and found["stride"] == list(value.stride())
        assert found["offset"] == value.storage_offset()
        assert found["requires_grad"] == value.requires_grad
        assert found["parameter"] == isinstance(value, torch.nn.Parameter)
        assert found["crc32"] == zlib.crc32(element_bytes(value)), path
    elif isinstance(value, dict):
        assert found["kind"] == "dict" and found["entries"] == len(value)
        for key, entry in value.items():
            same(seen, entry, (*path, key))
    elif isinstance(value, (list, tuple)):
        assert found["kind"] == ("list" if isinstance(value, list) else "tuple") and found["entries"] == len(value)
        for i, entry in enumerate(value):
            same(seen, entry, (*path, i))
    elif isinstance(value, (bytes, bytearray)):
        assert (found["kind"], found["bytes"], found["crc32"]) == ("bytes", len(value), zlib.crc32(value))
    elif value is None:
        assert found["kind"] == "none"
    else:
        assert found["kind"] == type(value).__name__
        big = isinstance(value, int) and not -(2**63) <= value < 2**63
        not_json = isinstance(value, float) and (value != value or abs(value) == float("inf"))
        assert found["value"] == (str(value) if big or not_json else value), path


def equal(a, b):
    if isinstance(a, torch.Tensor):
        return (type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride()
                and a.requires_grad == b.requires_grad and element_bytes(a) == element_bytes(b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        alike = type(a) is type(b) or isinstance(b, torch.Size)  # which comes back as the tuple that it is
        return alike and len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b) and (a == b or a != a)


DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
          torch.uint8, torch.bool, torch.complex64, torch.complex128, torch.complex32, torch.uint16, torch.uint32, torch.uint64,
          torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu]


def every_dtype():
    size = {dtype: torch.empty(0, dtype=dtype).element_size() for dtype in DTYPES}
    top = {dtype: 2 if dtype == torch.bool else 256 for dtype in DTYPES}
    raw = {dtype: torch.randint(0, top[dtype], (6 * size[dtype],), dtype=torch.uint8) for dtype in DTYPES}
    return {str(dtype): raw[dtype].view(dtype).view(2, 3) for dtype in DTYPES}


def strided():
    base = torch.arange(24.0).view(4, 6)
    return {"base": base, "transposed": base.t(), "row": base[2], "column": base[:, 3], "step": base[::2, 1::3],
            "expanded": torch.tensor([1.0, 2.0])[:, None].expand(2, 5), "scalar": base[1, 1], "empty": torch.empty(0, 3),
            "channels_last": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)}


def scalars():
    return {"none": None, "yes": True, "no": False,
            "ints": [0, 1, -1, 255, 256, 65535, 65536, -32769, 2**31 - 1, -(2**31), 2**31, 2**40],
            "limits": [2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64, 10**100, -(10**100), -(2**127)],
            "floats": [0.1, -0.0, 1e300, float("inf"), float("-inf"), float("nan")],
            "text": "héllo \u4e16 \U0001f40d \n", "": "empty key",
            "bytes": bytes(range(256)), "nothing": b"", "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
            7: "int key", -3: {}, "deep": [[[[{}]]]]}


def module():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))


def trained():
    net = module()
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(5, 4)).square().mean().backward()
        optimizer.step()
    return net, optimizer


def whole_checkpoint():
    net, optimizer = trained()
    return {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "rng": torch.get_rng_state(),
            "best": 0.25, "size": torch.Size([3, 4]), "history": [{"loss": 0.5}, {"loss": 0.25}]}


FORMS = {"dtypes": every_dtype, "strided": strided, "scalars": scalars, "checkpoint": whole_checkpoint,
         "state_dict": lambda: module().state_dict(), "parameters": lambda: dict(module().named_parameters()),
         "tensor": lambda: torch.randn(3), "parameter": lambda: torch.nn.Parameter(torch.randn(2), requires_grad=False),
         "list": lambda: [torch.ones(2), 1],
         "ordered": lambda: collections.OrderedDict(b=1, a=torch.zeros(1)), "zero_dim": lambda: torch.tensor(4)}


PROTOCOLS = {form: (2, 3, 4, 5) if form == "scalars" else (2, 4) for form in FORMS}


@pytest.mark.parametrize("form, protocol", [(form, protocol) for form in FORMS for protocol in PROTOCOLS[form]])
def test_reads_what_python_writes(tmp_path, form, protocol):
    value = FORMS[form]()
    torch.save(value, tmp_path / "a.pt", pickle_protocol=protocol)
    same(read(tmp_path / "a.pt"), value)


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


@pytest.mark.parametrize("name", ["actor_critic_small", "bc_small", "policy"])
def test_fixtures(tmp_path, name):
    value = torch.load(DATA / f"{name}.pt", weights_only=True)
    same(read(DATA / f"{name}.pt"), value)
    inspect(DATA / f"{name}.pt", "--rewrite", tmp_path / "b.pt")
    assert equal(torch.load(tmp_path / "b.pt", weights_only=True), dict(value))


def rezip(source, target, change=None, extra=(), **options):
    """Packs the records again with Python's zipfile; `change` gives a record's new bytes, None drops it."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", **options) as new:
        for info in old.infolist():
            data = old.read(info)
            data = change(info.filename.split("/", 1)[1], data) if change else data
            if data is not None:
                with new.open(zipfile.ZipInfo(info.filename), "w", force_zip64=True) as record:
                    record.write(data)
        for name, data in extra:
            new.writestr(name, data)


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


@contextlib.contextmanager
def checksums_written(wanted):
    before = torch.serialization.get_crc32_options()
    torch.serialization.set_crc32_options(wanted)
    try:
        yield
    finally:
        torch.serialization.set_crc32_options(before)


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
    return inspect(path, *arguments).stdout.decode().splitlines()[-1]


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


def write_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    names = {"float32": "F32", "bfloat16": "BF16", "int64": "I64", "bool": "BOOL", "float16": "F16", "uint16": "U16",
             "float8_e4m3fn": "F8_E4M3"}
    for name, tensor in tensors.items():
        raw = element_bytes(tensor)
        place = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": names[str(tensor.dtype)[6:]], "shape": list(tensor.shape), "data_offsets": place}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


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


# --- files that are not what they claim to be ---------------------------------------------------------------------------------

def with_pickle(path, pickle_bytes, storage=b"\0" * 64):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", pickle_bytes)
        archive.writestr("a/data/0", storage)


def tensor_pickle(offset="K\0", size="K\x04\x85", stride="K\x01\x85", numel="K\x10", key="0"):
    key = "X" + struct.pack("<I", len(key)).decode() + key
    return (f"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storage"
            f"ctorch\nFloatStorage\n{key}X\x03\0\0\0cpu{numel}tQ{offset}{size}{stride}"
            "\x89ccollections\nOrderedDict\n)RtR.").encode("latin1")


def long(number):
    raw = number.to_bytes(9, "little", signed=True)
    return "\x8a\x09" + raw.decode("latin1")


HOSTILE_TENSORS = {
    "fits": ({}, 0),
    "past the end": ({"size": "K\x11\x85"}, 2),
    "offset past the end": ({"offset": "K\x0d"}, 2),
    "negative offset": ({"offset": "J\xff\xff\xff\xff"}, 2),
    "negative stride": ({"stride": "J\xff\xff\xff\xff\x85", "offset": "K\x08"}, 2),
    "negative size": ({"size": "J\xff\xff\xff\xff\x85"}, 2),
    "huge stride": ({"stride": long(2**62) + "\x85"}, 2),
    "sizes that overflow": ({"size": "(" + long(2**40) * 3 + "t", "stride": "(K\0K\0K\0t"}, 2),
    "sizes that overflow beside a zero": ({"size": "(K\0" + long(2**40) * 3 + "t", "stride": "(K\1K\0K\0K\0t"}, 2),
    "repeated a thousand times": ({"size": "M\xe8\x03\x85", "stride": "K\0\x85"}, 0),
    "repeated into gigabytes": ({"size": long(2**33) + "\x85", "stride": "K\0\x85"}, 2),
    "fewer strides": ({"stride": ")"}, 2),
    "65 dimensions": ({"size": "(" + "K\1" * 65 + "t", "stride": "(" + "K\1" * 65 + "t"}, 2),
    "size of another type": ({"size": "N\x85"}, 2),
    "storage larger than its record": ({"numel": "K\x11"}, 2),
    "huge storage": ({"numel": long(2**62)}, 2),
    "negative storage": ({"numel": "J\xff\xff\xff\xff"}, 2),
    "missing record": ({"key": "1"}, 2),
    "key that climbs": ({"key": "../../../etc/passwd"}, 2),
}


@pytest.mark.parametrize("case", HOSTILE_TENSORS)
def test_hostile_tensors(tmp_path, case):
    change, code = HOSTILE_TENSORS[case]
    with_pickle(tmp_path / "a.pt", tensor_pickle(**change))
    inspect(tmp_path / "a.pt", "--json", "-", code=code)


def doubled(times):
    """A list that holds the last list twice, which holds the one before twice, ..."""
    steps = (b"]q" + bytes([i + 1]) + b"(h" + bytes([i]) + b"h" + bytes([i]) + b"e" for i in range(times))
    return b"\x80\x02]q\0" + b"".join(steps) + b"."


LONG_TEXT = b"X" + struct.pack("<I", 1 << 20) + b"x" * (1 << 20)
HOSTILE_PICKLES = {
    "a list that holds itself": (b"\x80\x02]q\0h\0a.", 0),
    "a dict that holds itself": (b"\x80\x02}q\0K\1h\0s.", 0),
    "nested 100,000 deep": (b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".", 2),
    "doubled sixty times": (doubled(60), 2),
    "doubled ten times": (doubled(10), 0),
    "a long string many times": (b"\x80\x02(" + LONG_TEXT + b"q\0" + b"h\0" * 100_000 + b"t.", 0),
    "a long list called many times": (b"\x80\x02cm\nf\nq\1((" + b"N" * 200_000 + b"tq\0" + b"h\1h\0R0" * 20_000 + b"t.", 2),
    "a long string encoded many times": (
        b"\x80\x02c_codecs\nencode\nq\1" + LONG_TEXT + b"\x85q\0" + b"h\1h\0R0" * 20_000 + b"N.", 2),
    "a string past the end": (b"\x80\x02X\xff\xff\xff\xffabc.", 2),
    "eight-byte length past the end": (b"\x80\x04\x8d" + b"\xff" * 8 + b"abc.", 2),
    "no stop": (b"\x80\x02N", 2),
    "nothing on the stack": (b"\x80\x02.", 2),
    "unknown memo": (b"\x80\x02h\5.", 2),
    "mark not opened": (b"\x80\x02t.", 2),
    "below the mark": (b"\x80\x02N(0.", 2),
    "unknown instruction": (b"\x80\x02\xff.", 2),
    "protocol 9": (b"\x80\x09N.", 2),
    "protocol 0": (b"(lp0\nI1\na.", 2),
    "appending to an integer": (b"\x80\x02K\1Na.", 2),
    "setting an item of a tuple": (b"\x80\x02)NNs.", 2),
    "a key without a value": (b"\x80\x02}(Nu.", 2),
    "called without arguments": (b"\x80\x02cm\nf\nNR.", 2),
    "a call of an integer": (b"\x80\x02K\1)R.", 0),
    "a class name without end": (b"\x80\x02cmodule", 2),
    "an unknown persistent id": (b"\x80\x02K\1Q.", 2),
    "a huge integer": (b"\x80\x02\x8b" + struct.pack("<I", 100_000) + b"\x7f" * 100_000 + b".", 0),
    "bytes that are no text": (b"\x80\x02X\x04\0\0\0\xff\xfe\x80\x1b.", 0),
}


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

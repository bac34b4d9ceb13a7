"""Checkpoint files for the tests of the reader and the writer: values of every form, and what `orbit_parity inspect` says."""
import collections
import contextlib
import json
import os
import pathlib
import struct
import subprocess
import zipfile
import zlib

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
    return {tuple(line["path"]): line for line in lines if line["kind"] != "fit"}


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


@contextlib.contextmanager
def checksums_written(wanted):
    before = torch.serialization.get_crc32_options()
    torch.serialization.set_crc32_options(wanted)
    try:
        yield
    finally:
        torch.serialization.set_crc32_options(before)


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

"""Pickles and tensors that are not what they claim to be, with the exit code that is due: 0 readable, 2 refused."""
import struct
import zipfile


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

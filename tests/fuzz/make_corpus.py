"""Writes the fuzzer's corpus: small real files and the hostile ones of the tests. Usage: make_corpus.py FOLDER"""
import io
import pathlib
import sys
import zipfile

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import checkpoint_files as cases  # noqa: E402
import hostile_files as hostile  # noqa: E402

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, form in cases.FORMS.items():
    for protocol in (2, 4):
        buffer = io.BytesIO()
        torch.save(form(), buffer, pickle_protocol=protocol)
        (folder / f"{name}{protocol}.pkl").write_bytes(zipfile.ZipFile(buffer).read("archive/data.pkl"))
        with cases.checksums_written(False):  # so that changes get past them
            torch.save(form(), folder / f"{name}{protocol}.pt", pickle_protocol=protocol)
for i, (data, _) in enumerate(hostile.HOSTILE_PICKLES.values()):
    if len(data) < 5000:
        (folder / f"hostile{i}.pkl").write_bytes(data)
for i, (change, _) in enumerate(hostile.HOSTILE_TENSORS.values()):
    (folder / f"tensor{i}.pkl").write_bytes(hostile.tensor_pickle(**change))
cases.write_safetensors(folder / "a.safetensors", {"a": torch.randn(2, 3), "b": torch.ones(3, dtype=torch.uint16)})

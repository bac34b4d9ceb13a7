"""Every operator of the registry: schema and Meta by torch.library.opcheck, and the same results for any number of threads."""
import copy

import op_cases
import pytest
import torch
from orbit_ops import ops

CASES = op_cases.cases()


def test_every_operator_has_a_case():
    assert set(op_cases.names()) == set(CASES) | op_cases.WITHOUT_TENSORS | op_cases.ON_THE_HOST


@pytest.mark.parametrize("name", sorted(CASES))
def test_opcheck(name):
    # The operators write into given tensors and have no derivatives: test_autograd_registration has nothing to check.
    # Sizes are checked against whole numbers, so that a dynamic trace would fix each of them: the static one is the same test.
    torch.library.opcheck(getattr(ops, name).default, copy.deepcopy(CASES[name]), test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_static"))


@pytest.mark.parametrize("name", sorted(CASES))
def test_meta_refuses_what_the_cpu_refuses(name):
    """The same line: one code path checks both."""
    args = CASES[name]
    for k, arg in enumerate(args):
        if not isinstance(arg, torch.Tensor):
            continue
        said = []
        for device in ("cpu", "meta"):
            wrong = [[t.to(device) for t in a] if isinstance(a, list) and a and isinstance(a[0], torch.Tensor) else a.to(device) if isinstance(a, torch.Tensor) else a
                     for a in copy.deepcopy(args)]
            wrong[k] = wrong[k].to(torch.int16)
            with pytest.raises(RuntimeError) as caught:
                getattr(ops, name)(*wrong)
            said.append(str(caught.value).splitlines()[0])
        assert said[0] == said[1] and "expected dtype" in said[0], said


@pytest.mark.parametrize("name", sorted(CASES))
def test_results_do_not_depend_on_threads(name):
    def wide(value):  # many environments, so that several threads have work; the first dimension is the environments'
        return value.repeat(40, *[1] * (value.dim() - 1)) if value.dim() else value.clone()

    if name.startswith("env_") or name == "gae_" or name in op_cases.learning():
        args = copy.deepcopy(CASES[name])  # environments are not their first dimension
    else:
        bank = CASES["step_"][1]
        args = tuple(a if a is bank else [wide(t) for t in a] if isinstance(a, list) and a and isinstance(a[0], torch.Tensor) else wide(a)
                     if isinstance(a, torch.Tensor) else a for a in CASES[name])
    before, results = torch.get_num_threads(), []
    try:
        for threads in range(1, 9):
            torch.set_num_threads(threads)
            mine = copy.deepcopy(args)
            getattr(ops, name)(*mine)
            results.append([t for a in mine for t in (a if isinstance(a, list) else [a]) if isinstance(t, torch.Tensor)])
    finally:
        torch.set_num_threads(before)
    for other in results[1:]:
        assert all(torch.equal(torch.nan_to_num(a.double()), torch.nan_to_num(b.double())) for a, b in zip(results[0], other))

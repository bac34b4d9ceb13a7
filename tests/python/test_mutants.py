"""The parity harness against wrong programs: one mistake at a time goes into a copy of a source file, the file is compiled, linked
in place of the right one, and orbit_parity must exit with 1. A harness that cannot fail is worth nothing.

A mutant: the file, a text in it and what stands there instead, the file that is compiled (for headers, one that includes it), the
command, and more arguments. The text must stand in the file exactly once or the test says so: follow the code when it moves."""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import parity_reference as cases  # noqa: E402

BUILD = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")).resolve()
PADDED = ["--layout", "padded"]
PADDED_FORWARD, ACTIONS, LOSS = "src/policy/orbit_padded.cpp", "src/policy/action_dist.cpp", "src/ppo/loss.cpp"
FEATURES = "src/parity/features_check.cpp"
MUTANTS = {
    "transposed weight": (PADDED_FORWARD, "head(hc, w.tgt0, w.tgt3), w.pair)",
        "head(hc, w.tgt0, w.tgt3), w.pair.t())", "", "policy", PADDED),
    "another LayerNorm": (PADDED_FORWARD, "{h}, b.ln1.weight, b.ln1.bias)", "{h}, b.ln2.weight, b.ln2.bias)", "", "policy", PADDED),
    "LayerNorm eps 1e-6": (PADDED_FORWARD, "{h}, b.ln1.weight, b.ln1.bias)",
        "{h}, b.ln1.weight, b.ln1.bias, 1e-6)", "", "policy", PADDED),
    "missing mask": (PADDED_FORWARD, "masked ? std::optional<Tensor>(seen) : std::nullopt", "std::nullopt", "", "policy", PADDED),
    "context left out": (PADDED_FORWARD, "at::cat({pooled, input.globals}, -1)",
        "at::cat({pooled, input.globals * 0}, -1)", "", "policy", PADDED),
    "entropy without its constant": (ACTIONS, "(0.5 + kHalfLog2Pi)", "kHalfLog2Pi", "", "policy", []),
    "KL the other way round": (ACTIONS, "log_p.exp() * (log_p - log_ref)", "log_ref.exp() * (log_ref - log_p)", "", "policy", []),
    "advantage sign": (LOSS, "t.policy_loss = -mean(", "t.policy_loss = mean(", "", "policy", []),
    "wrong sign of the entropy bonus": (LOSS, "- c.entropy_coef * t.entropy", "+ c.entropy_coef * t.entropy", "", "policy", []),
    "truncation forgotten": ("extensions/gae.h", "next_value = in.final_value[at];",
        "next_value = 0;", "extensions/gae_ops.cpp", "gae", []),
    "truncation wins": ("extensions/gae.h", "if (in.terminated[at])",
        "if (in.terminated[at] && !in.truncated[at])", "extensions/gae_ops.cpp", "gae", []),
    "lambda forgotten": ("extensions/gae.h", "in.gamma * in.lambda * next_advantage",
        "in.gamma * next_advantage", "extensions/gae_ops.cpp", "gae", []),
    "standard deviation with n": ("src/ppo/advantage.cpp", "(n - 1).clamp_min(1)", "n.clamp_min(1)", "", "gae", []),
    "no decay of weights": ("src/ppo/adamw.cpp", "options_.weight_decay, options_.eps", "0.0, options_.eps", "", "update", []),
    "no clipping": ("src/ppo/adamw.cpp", "ops::clip_gradients_(gradients_,",
        "if (false) ops::clip_gradients_(gradients_,", "", "update", []),
    "step count not loaded": ("src/checkpoint/optimizer_state.cpp", "optimizer.set_steps_done(steps);", "", "", "update", []),
    "draws of the next slot": (ACTIONS, "step, uint32_t(slot))", "step, uint32_t(slot + 1))", "", "sample", []),
    "variance for deviation": (ACTIONS, "float(mean + sigma * draw.normal)",
        "float(mean + sigma * sigma * draw.normal)", "", "sample", []),
    "greedy takes the last": (ACTIONS, "logits[t] > logits[target]", "logits[t] < logits[target]", "", "sample", []),
    "off-by-one history": ("envs/orbit_wars/features_planets.h",
        "snapshot_start(g, back)", "snapshot_start(g, back > 1 ? back - 1 : 1)", FEATURES, "features", []),
    "decoded ships": ("envs/orbit_wars/decode.h", "larger(a.ships_of(i, p.ships[i]), 1)",
        "larger(a.ships_of(i, p.ships[i]), 2)", FEATURES, "features", []),
    "combat without the second": ("envs/orbit_wars/combat.h", "largest - second;",
        "largest;", "extensions/game_ops.cpp", "env", []),
}


def commands():
    """How each source file is compiled for the programs; the fuzzer has objects of its own."""
    rows = json.loads((BUILD / "compile_commands.json").read_text())
    return {Path(row["file"]).resolve(): row["command"] for row in rows if "-fsanitize" not in row["command"]}


def link_command(objects, target):
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "bin/orbit_parity"], capture_output=True, text=True, check=True)
    line = next(line for line in reversed(listed.stdout.splitlines()) if " -o bin/orbit_parity " in line)
    # An object on the command line goes before the same one in a library, for the linker and for operators that register twice.
    return line.replace(" -o bin/orbit_parity ", f" {shlex.quote(str(objects))} -o {shlex.quote(str(target))} ", 1)


def build(name):
    """The orbit_parity of a mutant, in BUILD/mutants: paths that do not change, so that a compiler cache knows them."""
    file, right, wrong, unit, _, _ = MUTANTS[name]
    text = (ROOT / file).read_text()
    assert text.count(right) == 1, f"{file} holds {right!r} {text.count(right)} times: adapt the mutant {name!r}"
    folder = BUILD / "mutants" / name.replace(" ", "_")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / file).parent.mkdir(parents=True)
    (folder / file).write_text(text.replace(right, wrong))
    source = ROOT / (unit or file)
    compile_line = shlex.split(commands()[source])
    output, program = folder / "mutant.o", folder / "orbit_parity"
    compile_line[compile_line.index("-o") + 1] = str(output)
    compile_line[-1] = str(source if unit else folder / file)
    compile_line.insert(1, f"-I{folder}")  # its headers before the right ones
    if shutil.which("ccache"):
        compile_line.insert(0, "ccache")
    for step in (compile_line, ["bash", "-c", link_command(output, program)]):
        done = subprocess.run(step, cwd=BUILD, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
    return program


@pytest.fixture(scope="module")
def programs():
    """name -> a future of its program."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {name: pool.submit(build, name) for name in MUTANTS}
        yield futures
        for future in futures.values():
            future.cancel()
    shutil.rmtree(BUILD / "mutants", ignore_errors=True)


@pytest.fixture(scope="module")
def arguments(tmp_path_factory):
    """The case of each command, on which the right program has no difference."""
    folder, seed = tmp_path_factory.mktemp("cases"), torch.seed() % 2**31
    made = {"policy": cases.policy_case(cases.SIZES[1], 24, seed), "gae": cases.gae_case(seed),
            "update": cases.update_case(cases.SIZES[0], 9, seed), "sample": cases.sample_case(cases.SIZES[0], 9, seed, draws=100)}
    for command, case in made.items():
        torch.save(case, folder / f"{command}.pt")
    return {command: ["--case", folder / f"{command}.pt"] for command in made} | {
        "features": ["--data", ROOT / "tests/data/features"], "env": ["--trace", ROOT / "tests/data/traces/config-short-4p.jsonl.gz"]}


def check(program, command, arguments):
    return subprocess.run([program, command, "--json", "-", *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command, more", sorted({(m[4], tuple(m[5])) for m in MUTANTS.values()}))
def test_the_right_program_passes(command, more, arguments):
    done = check(BUILD / "bin/orbit_parity", command, [*arguments[command], *more])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_program_fails(name, programs, arguments):
    command, more = MUTANTS[name][4:]
    done = check(programs[name].result(), command, [*arguments[command], *more])
    assert done.returncode == 1, (done.returncode, done.stderr[-2000:])
    assert any(not json.loads(line)["ok"] for line in done.stdout.splitlines())

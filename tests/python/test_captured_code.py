"""What an observer of operators cannot see in captured code: host numbers that become tensors, and reads or writes past the operators."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Everything that runs within the rollout step, its end, and the minibatch update on a GPU. Functions named here are outside of them.
CAPTURED = {
    "src/ppo/rollout.cpp": ["Rollout::collect"],
    "src/ppo/update.cpp": ["Update::run"],
    "src/ppo/loss.cpp": [], "src/ppo/adamw.cpp": [], "src/ppo/advantage.cpp": [],
    "src/orbit_task.cpp": [], "src/policy/orbit_padded.cpp": [], "src/policy/static_actions.cpp": [],
    "src/policy/mlp_policy.cpp": ["MlpPolicy(MlpPolicyConfig config"], "src/policy/mlp_actions.cpp": [],
    "src/policy/rnn_policy.cpp": ["RnnPolicy(RnnPolicyConfig config"], "src/recurrent_task.cpp": [],
    "src/policy/normalised_policy.cpp": ["bool needs_statistics"],
    "src/vec_env.cpp": ["VecEnv::refused_launches", "VecEnv::restore", "VecEnv::bytes", "VecEnv::mean_fleets"],
}
INVISIBLE = re.compile(r"from_blob|data_ptr|at::tensor\(|at::scalar_tensor\(|\.item<|\.item\(|\.cpu\(\)|to\(at::kCPU")


def without(text, function):
    """The text less one function's body."""
    start = text.find(function)
    assert start >= 0, f"{function} is gone"
    depth, at = 0, text.index("{", start)
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[:start] + text[end + 1:]
    raise AssertionError(function)


def breaches(text, exempt=()):
    for function in exempt:
        text = without(text, function)
    lines = [line.split("//")[0] for line in text.splitlines()]
    return [line.strip() for line in lines if INVISIBLE.search(line)]


def test_captured_code_stays_within_operators():
    for name, exempt in CAPTURED.items():
        assert breaches((ROOT / name).read_text(), exempt) == [], name


def test_the_check_finds_what_it_forbids():
    for line in ("float a = x.item<float>();", "at::from_blob(p, {3})", "x.data_ptr<float>()[0] = 1;", "y.add_(at::tensor({1.0}));", "x.cpu()"):
        assert breaches(line) == [line]
    assert breaches("void f() {\n  x.item<int>();\n}\nint g;", ["void f"]) == []

#include "src/config/load.h"
#include <gtest/gtest.h>
#include "src/common/error.h"
#include "src/config/nearest.h"
#include "tests/support/temporary_folder.h"

namespace orbit {
namespace {

const std::string kMinimal = "training:\n  iterations: 2\n  episodes_per_iter: 4\n";

class ConfigFile : public ::testing::Test {
 protected:
  Config load(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return load_config(folder_.write("ppo.yaml", text), overrides);
  }
  // The complaint about a file, its folder left out; "" where there is none.
  std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
      load(text, overrides);
      return "";
    } catch (const UserError& e) {
      std::string what = e.what();
      EXPECT_EQ(what.find('\n'), what.npos) << what;
      const std::string prefix = folder_.path() + "/";
      for (size_t at; (at = what.find(prefix)) != what.npos;) what.erase(at, prefix.size());
      return what;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ConfigFile, OriginalFormNeedsNoOtherSection) {
  const Config config = load(
      "model: {hidden: 192, attn_heads: 8}\nbc_warmstart: {enabled: false, weights_path: \"\"}\n"
      "training:\n  algo: ppo\n  iterations: 100\n  episodes_per_iter: 128\n  lr: 3e-5\n  lr_end: 3.0e-06\n  "
      "lr_schedule_steps: 5000\n"
      "  opponent: curriculum\n  opponent_curriculum: {switch_iter: 20, early: noop, late: starter}\n  target_kl: null\n"
      "output: {run_dir: runs, weights_filename: best.pt}\n");
  EXPECT_EQ(config.training.lr, 3e-5);
  EXPECT_EQ(config.training.lr_end, 3e-6);
  EXPECT_FALSE(config.training.target_kl.has_value());
  ASSERT_TRUE(config.training.opponent_curriculum.has_value());
  EXPECT_EQ(config.training.opponent_curriculum->switch_iter, 20);
  EXPECT_EQ(config.environment.players, 2);
}

TEST_F(ConfigFile, ResolvedFormReadsBackToTheSame) {
  const Config config = load(kMinimal +
                             "  lr: 0.1\n  target_kl: 0.02\n  advantage_norm: off\n  resume_from: \"a \\\"b\\\".pt\"\n"
                             "  opponent_pool: {cap: 3}\nevaluation: {opponents: [starter]}\noutput: {run_name: on}\n");
  EXPECT_EQ(config.output.run_name, "on");
  const Config again = load(to_yaml(config));
  EXPECT_EQ(to_yaml(again), to_yaml(config));
  EXPECT_TRUE(changes(settings_of(config), settings_of(again)).empty());
  EXPECT_EQ(again.training.advantage_norm, "off");
  EXPECT_EQ(again.training.resume_from, "a \"b\".pt");
  EXPECT_EQ(again.evaluation.opponents, std::vector<std::string>{"starter"});
}

TEST_F(ConfigFile, ChangesAreOverridesThatCarryThemOver) {
  const Config base = load(kMinimal + "  heldout_eval: {every: 3}\n");
  const Config changed =
      load(kMinimal, {"model.hidden=48", "training.opponent_pool={cap: 2}", "training.lr=1e-5", "training.advantage_norm=off"});
  const auto found = changes(settings_of(base), settings_of(changed));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].key + " " + found[0].from + " " + found[0].to, "model.hidden 192 48");
  std::vector<std::string> overrides;
  for (const SettingChange& change : found) overrides.push_back(change.key + "=" + change.to);
  EXPECT_EQ(to_yaml(load(to_yaml(base), overrides)), to_yaml(changed));
}

TEST_F(ConfigFile, OverridesWinAndAreNamed) {
  const Config config =
      load(kMinimal, {"training.lr=2e-3", "output.run_name=a", "training.opponent=self", "training.target_kl=null"});
  EXPECT_EQ(config.training.lr, 2e-3);
  EXPECT_EQ(config.output.run_name, "a");
  EXPECT_EQ(config.training.opponent, "self");
  EXPECT_EQ(complaint(kMinimal, {"training.lr=fast"}),
            "--set training.lr=fast: training.lr: expected a number from 0 to 1, found \"fast\"");
  EXPECT_EQ(complaint(kMinimal, {"training.clip_ep=1"}),
            "--set training.clip_ep=1: unknown key \"clip_ep\" in training. Did you mean \"clip_eps\"?");
  EXPECT_EQ(complaint(kMinimal, {"lr"}), "--set lr: key.path=value is expected, e.g. training.lr=3e-4");
  EXPECT_EQ(complaint(kMinimal, {"model.hidden=50"}),
            "--set model.hidden=50: model.hidden must be a multiple of model.attn_heads, but 50 is none of 8");
}

TEST_F(ConfigFile, UnknownKeysNameTheNearest) {
  EXPECT_EQ(complaint(kMinimal + "  clip_ep: 0.2\n"),
            "ppo.yaml:4: unknown key \"clip_ep\" in training. Did you mean \"clip_eps\"?");
  EXPECT_EQ(complaint("trainign:\n  iterations: 1\n"),
            "ppo.yaml:1: unknown key \"trainign\" at the top level. Did you mean \"training\"?");
  EXPECT_EQ(complaint(kMinimal + "  hidden: 8\n"), "ppo.yaml:4: unknown key \"hidden\" in training. It belongs in model.");
  // A misspelt required key is called misspelt, not missing.
  EXPECT_EQ(complaint("training:\n  iteration: 2\n"),
            "ppo.yaml:2: unknown key \"iteration\" in training. Did you mean \"iterations\"?");
  EXPECT_EQ(complaint(kMinimal + "  opponent: startr\n"),
            "ppo.yaml:4: training.opponent: expected one of self, noop, random, starter, self_snapshot, curriculum, "
            "baseline_jax_lite, pool, a .pt, .safetensors or .ts file, found \"startr\". Did you mean \"starter\"?");
}

TEST_F(ConfigFile, WrongValuesAreRefusedWithWhatIsExpected) {
  const struct {
    const char* line;
    const char* expected;
  } cases[] = {
      {"lr: fast", "training.lr: expected a number from 0 to 1, found \"fast\""},
      {"lr: \"1e-4\"", "training.lr: expected a number from 0 to 1, found the text \"1e-4\""},
      {"lr: .nan", "training.lr: expected a number from 0 to 1, found \".nan\""},
      {"lr: nan", "training.lr: expected a number from 0 to 1, found \"nan\""},
      {"lr: 2", "training.lr: expected a number from 0 to 1, found \"2\""},
      {"lr:", "training.lr: expected a number from 0 to 1, found nothing"},
      {"lr: {a: 1}", "training.lr: expected a number from 0 to 1, found a section"},
      {"clip_eps: 0", "training.clip_eps: expected a number above 0, found \"0\""},
      {"horizon: 0x10", "training.horizon: expected a whole number from 1 to 100000, found \"0x10\""},
      {"horizon: 50.0", "training.horizon: expected a whole number from 1 to 100000, found \"50.0\""},
      {"horizon: 99999999999", "training.horizon: expected a whole number from 1 to 100000, found \"99999999999\""},
      {"horizon: [5]", "training.horizon: expected a whole number from 1 to 100000, found a list"},
      {"bootstrap_truncated: 1", "training.bootstrap_truncated: expected true or false, found \"1\""},
      {"advantage_norm: [off]", "training.advantage_norm: expected one of rollout, minibatch, off, found a list"},
      {"opponent_pool: 5", "training.opponent_pool is a section; indented keys are expected below it"},
  };
  for (const auto& c : cases) EXPECT_EQ(complaint(kMinimal + "  " + c.line + "\n"), std::string("ppo.yaml:4: ") + c.expected);
}

TEST_F(ConfigFile, RequiredKeysAndCrossChecks) {
  EXPECT_EQ(complaint(""),
            "ppo.yaml: training.iterations is required: a whole number of at least 1 (rollouts, each followed by its updates)");
  EXPECT_EQ(complaint("training:\n  iterations: 2\n").find("ppo.yaml:1: training.episodes_per_iter is required"), 0u);
  EXPECT_EQ(complaint(kMinimal + "environment:\n  players: 3\n"),
            "ppo.yaml:5: environment.players must be 2 or 4: the game has no three-player form");
  EXPECT_NE(complaint(kMinimal + "bc_warmstart: {enabled: true}\n"), "");
  EXPECT_NE(complaint(kMinimal + "output: {weights_filename: last.pt}\n"), "");
  EXPECT_NE(complaint(kMinimal + "output: {run_name: a/b}\n"), "");
  EXPECT_NE(complaint(kMinimal + "evaluation: {every: 1, seed_start: 5}\n"), "");
  EXPECT_EQ(complaint(kMinimal + "evaluation: {every: 1, seed_start: 2048}\n"), "");
}

TEST_F(ConfigFile, OpponentsThatDoNotExistHere) {
  EXPECT_NE(complaint(kMinimal + "  opponent: baseline_v1\n").find("expected one of self, noop"), std::string::npos);
  EXPECT_EQ(complaint(kMinimal + "  opponent: baseline_jax_lite\n"),
            "ppo.yaml:4: training.opponent names baseline_jax_lite, which this version cannot play yet; it has self, noop, random, "
            "starter, self_snapshot, pool, curriculum, a policy's file");
  EXPECT_EQ(load(kMinimal + "  opponent: folder/a.ts\n").training.opponent, "folder/a.ts");
  EXPECT_EQ(
      complaint(kMinimal + "  opponent: curriculum\n  opponent_curriculum:\n    switch_iter: 1\n    late: baseline_jax_lite\n")
          .find("ppo.yaml:7: training.opponent_curriculum.late names baseline_jax_lite"),
      0u);
  EXPECT_NE(complaint(kMinimal + "  opponent: curriculum\n"), "");
  EXPECT_NE(complaint(kMinimal + "  opponent: curriculum\n  opponent_curriculum: {switch_iter: 1, mid: random}\n"), "");
}

TEST_F(ConfigFile, UnusedBlocksAreAcceptedAndReported) {
  const Config config = load(kMinimal + "  opponent_pool: {cap: 4}\n  heldout_eval: {every: 1, opponent: baseline_v1}\n"
                                        "  opponent_curriculum: {switch_iter: 3, late: pool}\n  lr_end: 1e-6\n");
  const auto lines = ignored_settings(config);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "training.opponent_pool is ignored: no opponent is pool; training.opponent is noop");
  EXPECT_TRUE(ignored_settings(load(kMinimal)).empty());
}

TEST_F(ConfigFile, YamlThatIsNone) {
  EXPECT_EQ(complaint("training: {iterations: 2\nlr: 3\n").find("ppo.yaml:"), 0u);
  EXPECT_EQ(complaint("training:\n\titerations: 2\n").find("ppo.yaml:2: not valid YAML: "), 0u);
  EXPECT_EQ(complaint(kMinimal + "  lr: 1e-3\n  iterations: 3\n"),
            "ppo.yaml:5: the key \"iterations\" stands twice; the first is at ppo.yaml:2");
  EXPECT_EQ(complaint("- 1\n"), "ppo.yaml:1: sections such as \"training:\" are expected at the top level");
  EXPECT_EQ(complaint(kMinimal + "---\nmodel: {}\n").find("ppo.yaml:5: a second document begins"), 0u);
  EXPECT_NE(complaint("? [a]\n: b\n"), "");
  EXPECT_NE(complaint("training: !!python/object:os.system {}\n"), "");
  EXPECT_NE(complaint("training: &t\n  more: *t\n"), "");
  EXPECT_NE(complaint(std::string(20000, '[')), "");
  EXPECT_NE(complaint(std::string(20000, '{')), "");
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string("*") + static_cast<char>(c - 1) + (i < 8 ? "," : "]\n");
  }
  EXPECT_NE(complaint(bomb), "");
  EXPECT_NE(complaint(std::string("training:\0\n", 11)), "");
}

TEST_F(ConfigFile, FilesThatCannotBeRead) {
  EXPECT_THROW(load_config(folder_.path() + "/none.yaml"), UserError);
  EXPECT_THROW(load_config(folder_.path()), UserError);
  EXPECT_NE(complaint(std::string(3 << 20, '#')), "");
}

TEST(NearestWord, FindsTyposAndLeavesStrangersAlone) {
  const std::vector<std::string> words = {"lr", "lr_end", "clip_eps", "gamma"};
  EXPECT_EQ(nearest_word("clip_ep", words), "clip_eps");
  EXPECT_EQ(nearest_word("gmama", words), "gamma");
  EXPECT_EQ(nearest_word("lr_edn", words), "lr_end");
  EXPECT_EQ(nearest_word("optimizer", words), "");
}

}  // namespace
}  // namespace orbit

// What trace and replay files may hold, and how damaged ones are refused: one line with file and line, never a crash.
#include "src/parity/trace_file.h"
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include "src/common/error.h"
#include "src/parity/trace_check.h"
#include "src/parity/trace_text.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/json_lines.h"

namespace orbit {
namespace {
using nlohmann::json;

class TraceFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("orbit_traces_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& text, const std::string& name = "t.jsonl") {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string data(const std::string& name) { return std::string(ORBIT_TEST_DATA) + "/" + name; }

  // The rows of a trace, changed and written again.
  std::string changed(const std::string& name, const std::function<void(std::vector<json>&)>& change) {
    std::vector<json> rows;
    for (const std::string& line : data_lines(name)) rows.push_back(json::parse(line));
    change(rows);
    std::string text;
    for (const json& row : rows) text += row.dump() + "\n";
    return write(text);
  }
  std::string changed(const std::function<void(std::vector<json>&)>& change) {
    return changed("traces/config-short-4p.jsonl.gz", change);
  }

  // Reading and playing this file must end in a UserError whose one line holds these words.
  static void expect_refused(const std::string& path, const std::vector<std::string>& words) {
    try {
      for (const Trace& trace : read_traces(path)) check_trace(trace, play_turn_serial<Motion::kExact>);
      ADD_FAILURE() << path << " passed, expected " << words[0];
    } catch (const UserError& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_NE(what.find(path), std::string::npos) << what;
      for (const std::string& word : words) EXPECT_NE(what.find(word), std::string::npos) << what << " lacks " << word;
    }
  }
  // Lawful: no refusal, and as the official game does.
  static TraceResult check_one(const std::string& path) {
    const std::vector<Trace> traces = read_traces(path);
    EXPECT_EQ(traces.size(), 1u);
    return check_trace(traces.at(0), play_turn_serial<Motion::kExact>);
  }

  std::filesystem::path folder_;
};

TEST_F(TraceFile, PlainAndGzippedAreToldByContent) {
  const std::string text = read_text(data("traces/noop-2p-1.jsonl.gz"));
  const std::string plain = write(text, "plain.gz");
  EXPECT_TRUE(check_one(plain).bit_equal());
}

TEST_F(TraceFile, CutShortAnywhere) {
  std::ifstream in(data("traces/noop-2p-1.jsonl.gz"), std::ios::binary);
  const std::string packed((std::istreambuf_iterator<char>(in)), {});
  for (size_t keep : {packed.size() - 1, packed.size() - 9, packed.size() / 2, size_t(12)})
    expect_refused(write(packed.substr(0, keep)), {"cut short"});
  std::string flipped = packed;
  flipped[packed.size() / 2] ^= 0x10;
  expect_refused(write(flipped), {"damaged"});
  const std::string text = read_text(data("traces/noop-2p-1.jsonl.gz"));
  const std::string cut = text.substr(0, text.size() - 30);
  expect_refused(write(cut), {":500:", "not valid JSON"});
}

TEST_F(TraceFile, NotATrace) {
  expect_refused(folder_.string() + "/absent", {"cannot be opened"});
  expect_refused(folder_.string(), {"cannot be read"});
  expect_refused(write(""), {"is empty"});
  expect_refused(write("\n \n"), {"is empty"});
  expect_refused(write("hello"), {":1:", "not valid JSON"});
  expect_refused(write("{}\n"), {"neither a trace"});
  expect_refused(write("[1,2]"), {"neither a trace"});
  expect_refused(write("{\n\"steps\": [\n1,,2]}"), {":3:", "not valid JSON"});
  expect_refused(write(std::string(200000, '[')), {"not valid JSON"});
  expect_refused(changed([](auto& rows) { rows.erase(rows.begin()); }), {"neither a trace"});
}

TEST_F(TraceFile, DamagedHeader) {
  const auto refused = [&](const std::function<void(json&)>& change, const std::vector<std::string>& words) {
    expect_refused(changed([&](auto& rows) { change(rows[0]); }), words);
  };
  refused([](json& h) { h["version"] = 2; }, {":1:", "format"});
  refused([](json& h) { h["players"] = 3; }, {":1: players: expected 2 or 4, found 3"});
  refused([](json& h) { h["players"] = "2"; }, {":1: players: expected a whole number"});
  refused([](json& h) { h.erase("seed"); }, {"\"seed\" is missing"});
  refused([](json& h) { h["seed"] = 5.0; }, {":1: seed: expected a whole number"});
  refused([](json& h) { h["seed"] = "5"; }, {":1: seed: expected a whole number"});
  refused([](json& h) { h["seed"] = true; }, {":1: seed: expected a whole number"});
  refused([](json& h) { h["kind"] = "play"; }, {":1: kind:"});
  refused([](json& h) { h["configuration"]["shipSpeed"] = -1; }, {":1: configuration.shipSpeed:"});
  refused([](json& h) { h["configuration"]["episodeSteps"] = 0; }, {":1: configuration.episodeSteps:"});
  refused([](json& h) { h["init"].erase("planets"); }, {":1: init: \"planets\" is missing"});
  refused([](json& h) { h["init"]["planets"] = json::object(); }, {":1: init.planets: expected a list"});
  refused([](json& h) { h["init"]["planets"][3][5] = "ten"; }, {":1: init.planets[3][5]:", "found \"ten\""});
  refused([](json& h) { h["init"]["planets"][3][5] = -1; }, {":1: init.planets[3][5]:"});
  refused([](json& h) { h["init"]["planets"][3][2] = nullptr; }, {":1: init.planets[3][2]: expected a number, found null"});
  refused([](json& h) { h["init"]["planets"][3].erase(0); }, {":1: init.planets[3]:"});
}

TEST_F(TraceFile, DamagedTurn) {
  const auto refused = [&](const std::function<void(json&)>& change, const std::vector<std::string>& words) {
    expect_refused(changed([&](auto& rows) { change(rows[4]); }), words);
  };
  refused([](json& r) { r.erase("p"); }, {":5: \"p\" is missing"});
  refused([](json& r) { r["p"] = 5; }, {":5: p: expected a list, found 5"});
  refused([](json& r) { r["p"][2][2] = "7"; }, {":5: p[2][2]:"});
  refused([](json& r) { r["p"][2][2] = 7.5; }, {":5: p[2][2]:"});
  refused([](json& r) { r["p"][2] = json::array({1}); }, {":5: p[2]:"});
  refused([](json& r) { r["a"].erase(0); }, {":5: a: expected one action list a seat"});
  refused([](json& r) { r["fxy"] = json::array(), r["pxy"] = json::array(), r["f"] = {1}; }, {":5: fxy:"});
  refused([](json& r) { r["new"] = {{1, 2}}; }, {":5: new[0]:"});
  refused([](json& r) { r["t"] = json::object(); }, {":5: t:"});
  refused([](json& r) { r["done"] = 1; }, {":5: done:"});
  refused([](json& r) { r["done"] = true, r["status"] = {"DONE"}, r["reward"] = {1, 1, 1, 1}; }, {":5: status:"});
  expect_refused(changed([](auto& rows) { rows.push_back(rows.back()); }), {"after the game has ended"});
  const std::string text = read_text(changed([](auto&) {}));
  std::string with_nan = text;
  with_nan.replace(with_nan.find("\"n\":"), 4, "\"n\":NaN,\"m\":");
  expect_refused(write(with_nan), {"not valid JSON"});
  std::string huge = text;
  huge.replace(huge.find("\"n\":"), 4, "\"n\":1e999,\"m\":");
  expect_refused(write(huge), {"64-bit float"});
}

// A difference is a mismatch, not an error, and says where.
TEST_F(TraceFile, DifferencesAreReported) {
  const auto first = [&](const std::function<void(json&)>& change, const std::string& field) {
    const TraceResult result = check_one(changed([&](auto& rows) { change(rows[10]); }));
    ASSERT_TRUE(result.first) << field;
    EXPECT_EQ(result.first->field, field);
    EXPECT_EQ(result.first->t, 10);
    EXPECT_EQ(result.mismatches, 1);
  };
  first([](json& r) { r["p"][2][2] = r["p"][2][2].get<int>() + 1; }, "p[2] ships");
  first([](json& r) { r["p"][2][1] = 3; }, "p[2] owner");
  first([](json& r) { r["p"][2][0] = 77; }, "p[2] id");
  first([](json& r) { r["p"].erase(0); }, "p length");
  first([](json& r) { r["n"] = r["n"].get<int>() + 1; }, "n");
  first([](json& r) { r["pxy"][0][1] = r["pxy"][0][1].get<double>() + 2e-9; }, "pxy x[12]");
  first([](json& r) { r["c"] = {{{1, 2, 3, 4}, 0}}; }, "c length");
  const TraceResult board = check_one(changed([](auto& rows) { rows[0]["seed"] = rows[0]["seed"].template get<int>() + 1; }));
  ASSERT_TRUE(board.first);
  EXPECT_EQ(board.first->t, 0);
  const TraceResult reward = check_one(changed([](auto& rows) { rows.back()["reward"][0] = 0; }));
  ASSERT_TRUE(reward.first);
  EXPECT_EQ(reward.first->field, "reward[0]");
  const TraceResult unfinished = check_one(changed([](auto& rows) { rows.back().erase("done"); }));
  ASSERT_TRUE(unfinished.first);
  EXPECT_EQ(unfinished.first->field, "done");
  const TraceResult wave =
      check_one(changed("traces/noop-2p-1.jsonl.gz", [](auto& rows) { rows[50]["wave"]["paths"][1][3][0] = 50.5; }));
  ASSERT_TRUE(wave.first);
  EXPECT_EQ(wave.first->field, "wave path x[3]");
}

// ---- moves (rules 9)

class OddMoves : public TraceFile {
 protected:
  // A scenario in which seat 0 has 10 ships on planet 0; the action is its only one. Returns the fleets launched, -1 where
  // the file is refused.
  int launched(const std::string& action) {
    const std::string path = changed("traces/scenarios.jsonl.gz", [&](auto& rows) {
      size_t at = 0;
      while (rows[at].value("name", "") != "launch-numbers") ++at;
      std::vector<json> some(rows.begin() + long(at), rows.begin() + long(at) + 2);
      some[1]["a"] = json::parse("[" + action + ",[]]");
      rows = some;
    });
    try {
      const Trace trace = read_traces(path).at(0);
      GameStorage storage = start_of(trace, 64);
      check_trace(trace, play_turn_serial<Motion::kExact>);  // throws where an odd angle is used
      Game g = storage.view();
      StepScratch scratch;
      const TurnMoves moves(trace.turns[0], 2);
      const int before = g.now->next_fleet_id;
      play_turn_serial<Motion::kExact>(g, {2, 500, 64, 6.0}, moves.view(), scratch);
      return g.now->next_fleet_id - before;
    } catch (const UserError& e) {
      EXPECT_NE(std::string(e.what()).find(":2: "), std::string::npos) << e.what();
      return -1;
    }
  }
};

TEST_F(OddMoves, AsTheOfficialGameTakesThem) {
  const std::pair<const char*, int> cases[] = {
      {"null", 0},
      {"5", 0},
      {"{\"a\": 1}", 0},
      {"\"text\"", 0},
      {"[]", 0},
      {"[[]]", 0},
      {"[[0, 1]]", 0},
      {"[[0, 1, 2, 3], [0, 0.5, 1]]", 1},
      {"[[0.0, 0.5, 1.0]]", 1},
      {"[[0, 1, 2.9], [0, 1, 0.99], [0, 1, -0.5]]", 1},
      {"[[false, 0.5, true]]", 1},
      {"[[true, 0.5, 1]]", 0},
      {"[[0, true, 1]]", 1},
      {"[[0, 0.5, \"5\"]]", 1},
      {"[[0, 0.5, \" +1_0 \"]]", 1},
      {"[[0, 0.5, \"11\"]]", 0},
      {"[[0, 0.5, \"-5\"]]", 0},
      {"[[\"0\", 0.5, 1]]", 0},
      {"[[null, 0.5, 1]]", 0},
      {"[[[0], 0.5, 1]]", 0},
      {"[[0.5, 0.5, 1]]", 0},
      {"[[1e300, 0.5, 1]]", 0},
      {"[[0, 0.5, 1e300]]", 0},
      {"[[0, 0.5, 99999999999999999999999999]]", 0},
      {"[[0, 1e300, 1]]", 1},
      {"[[7, \"left\", 1]]", 0},   // refused before its angle is looked at
      {"[[0, \"left\", 99]]", 0},
      {"[\"ab\", \"ab3\", {}]", 0},
      {"[null]", -1},
      {"[5]", -1},
      {"[\"abc\"]", -1},
      {"[[0, 0.5, null]]", -1},
      {"[[0, 0.5, \"five\"]]", -1},
      {"[[0, 0.5, \"5.0\"]]", -1},
      {"[[0, 0.5, \"1__0\"]]", -1},
      {"[[0, 0.5, \"\"]]", -1},
      {"[[0, 0.5, []]]", -1},
      {"[[99, 0.5, {}]]", -1},
      {"[[0, \"left\", 1]]", -1},
      {"[[0, null, 1]]", -1},
      {"[[0, 0.5, 4], [0, null, 7]]", 1},  // only 6 are left
      {"[[0, 0.5, 4], [0, null, 6]]", -1},
  };
  for (const auto& [action, fleets] : cases) EXPECT_EQ(launched(action), fleets) << action;
}

// ---- hand-made states

TEST_F(TraceFile, ImpossibleStates) {
  const auto refused = [&](const char* name, const std::function<void(json&)>& change, const std::string& words) {
    expect_refused(changed("traces/scenarios.jsonl.gz",
                           [&](auto& rows) {
                             size_t at = 0;
                             while (rows[at].value("name", "") != name) ++at;
                             change(rows[at]["init"]);
                             rows = {rows[at], rows[at + 1]};
                           }),
                   {words});
  };
  refused("combat-tie-two", [](json& s) { s["planets"] = json::array(); }, "has no planets");
  refused("combat-tie-two", [](json& s) { s["planets"][1][0] = s["planets"][0][0]; }, "two planets have the id");
  refused("combat-tie-two", [](json& s) { s["planets"][0][1] = 2; }, "a seat that does not play");
  refused("combat-tie-two", [](json& s) { s["fleets"][0][6] = 0; }, "init.fleets[0][6]");
  refused("combat-tie-two", [](json& s) { s["fleets"][0][6] = 1000000000, s["fleets"][1][6] = 1000000000; }, "more ships");
  refused("combat-tie-two", [](json& s) { s["planets"][0][2] = 1e5; }, "init.planets[0][2]");
  refused("combat-tie-two",
          [](json& s) {
            for (int i = 0; i < 45; ++i) s["planets"].push_back({100 + i, -1, 5.0, 5.0, 1.0, 1, 1});
          },
          "at most 44 planets fit");
  refused("comet-captured", [](json& s) { s["comets"][0]["planet_ids"].push_back(4); }, "1 to 4 planet_ids");
  refused("comet-captured", [](json& s) { s["comets"][0]["paths"].erase(0); }, "one path a planet id");
  refused("comet-captured", [](json& s) { s["comets"][0]["paths"][0].erase(0); }, "of one length");
  refused("comet-captured", [](json& s) { s["comets"][0]["planet_ids"][0] = 45; }, "in two places");
  refused("comet-captured", [](json& s) { s["comet_planet_ids"] = json::array(); }, "not in comet_planet_ids");
  refused("comet-captured", [](json& s) { s["comets"][0]["path_index"] = -2; }, "init.comets[0].path_index");
  refused("comet-captured",
          [](json& s) {
            for (auto& path : s["comets"][0]["paths"])
              while (path.size() < 41) path.push_back({50.0, 50.0});
          },
          "at most 40 points");
}

// ---- replays

class ReplayFile : public TraceFile {
 protected:
  std::string changed_replay(const std::function<void(json&)>& change) {
    json replay = json::parse(read_text(data("replays/78273612.json.gz")));
    change(replay);
    return write(replay.dump(), "replay.json");
  }
};

TEST_F(ReplayFile, OlderRulesAreNamed) {
  expect_refused(changed_replay([](json& r) { r["module_version"] = "1.28.0"; }), {"older rules", "1.28.0", "1.29"});
  expect_refused(changed_replay([](json& r) { r["module_version"] = "0.99.9"; }), {"older rules"});
  expect_refused(changed_replay([](json& r) { r["module_version"] = "new"; }), {"module_version"});
  expect_refused(changed_replay([](json& r) { r.erase("module_version"); }), {"\"module_version\" is missing"});
  EXPECT_TRUE(check_one(changed_replay([](json& r) { r["module_version"] = "1.29.0"; })).bit_equal());
  EXPECT_TRUE(check_one(changed_replay([](json& r) { r["module_version"] = "2.0.0"; })).bit_equal());
}

TEST_F(ReplayFile, Damaged) {
  expect_refused(changed_replay([](json& r) { r["name"] = "halite"; }), {"expected orbit_wars"});
  expect_refused(changed_replay([](json& r) { r["info"].erase("seed"); }), {"seed"});
  expect_refused(changed_replay([](json& r) { r["info"]["seed"] = nullptr; }), {"seed"});
  expect_refused(changed_replay([](json& r) { r["steps"] = json::array(); }), {"steps"});
  expect_refused(changed_replay([](json& r) { r["steps"][0].erase(1); }), {"2 or 4 seats"});
  expect_refused(changed_replay([](json& r) { r["steps"][5].erase(1); }), {"steps[5]"});
  expect_refused(changed_replay([](json& r) { r["steps"][5][0]["observation"]["planets"][0][5] = "x"; }),
                 {"steps[5][0].observation.planets[0][5]"});
  expect_refused(changed_replay([](json& r) { r["steps"][5][0]["action"] = {nullptr}; }), {"steps[5][0].action[0]"});
  expect_refused(changed_replay([](json& r) { r["steps"].push_back(r["steps"].back()); }), {"after the game has ended"});
}

TEST_F(ReplayFile, HugeSeedsKeepTheirDigits) {
  const std::string text = read_text(changed_replay([](json& r) { r["info"]["seed"] = 12345; }));
  std::string huge = text;
  huge.replace(huge.find("\"seed\":12345"), 12, "\"seed\":-1208925819614629174706181");
  EXPECT_EQ(read_traces(write(huge)).at(0).seed, "-1208925819614629174706181");
  EXPECT_EQ(read_traces(data("traces/noop-4p-big.jsonl.gz")).at(0).seed, "1208925819614629174706181");
  EXPECT_EQ(integer_text("{\"a\":{\"seed\":1},\"b\":[{\"seed\":2}],\"seed\":3}", {"seed"}), "3");
  EXPECT_EQ(integer_text("{\"seed\":7,\"info\":{\"x\":[{\"seed\":1}],\"seed\":4}}", {"info", "seed"}), "4");
  EXPECT_EQ(integer_text("{\"info\":{\"info\":{\"seed\":4}}}", {"info", "seed"}), "");
}

TEST_F(ReplayFile, FailedSeatsHaveNoMoves) {
  const TraceResult result = check_one(changed_replay([](json& r) {
    for (size_t t = 1; t < 5; ++t) r["steps"][t][1]["action"] = nullptr;
  }));
  EXPECT_GT(result.mismatches, 0);  // other moves, another game; but no refusal
}

// Random damage anywhere: refused or compared, never a crash.
TEST_F(TraceFile, RandomDamage) {
  std::mt19937_64 random(fresh_seed());
  const std::string whole = read_text(data("traces/scenarios.jsonl.gz"));
  std::string text;  // a few scenarios with comets, launches and odd states
  size_t kept = 0;
  for (size_t at = 0, end; (end = whole.find('\n', at)) != std::string::npos && kept < 60; at = end + 1)
    if (random() % 3 || whole.compare(at, 2, "{\"") != 0) text += whole.substr(at, end + 1 - at), ++kept;
  int refused = 0, rounds = 600;
  for (int i = 0; i < rounds; ++i) {
    std::string damaged = text;
    for (int k = 1 + int(random() % 3); k > 0; --k) {
      const size_t at = random() % damaged.size();
      const char* alphabet = "0123456789-.,[]{}\":eEnat ";
      if (random() % 4 == 0) damaged.erase(at, 1 + random() % 20);
      else damaged[at] = alphabet[random() % 25];
    }
    try {
      for (const Trace& trace : read_traces(write(damaged))) check_trace(trace, play_turn_serial<Motion::kExact>);
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, rounds / 4);
}

}  // namespace
}  // namespace orbit

#include "envs/orbit_wars/python_random.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "envs/orbit_wars/seed.h"
#include "envs/orbit_wars/sha512.h"
#include "tests/support/json_lines.h"

namespace orbit {
namespace {

std::string hex(const std::array<uint8_t, 64>& digest) {
  std::string out;
  for (uint8_t byte : digest) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// FIPS 180-4 examples: one block, and two.
TEST(Sha512, StandardExamples) {
  EXPECT_EQ(hex(sha512("abc")),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  EXPECT_EQ(hex(sha512("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                       "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")),
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
            "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909");
}

// Streams recorded from CPython, of numbers and of texts.
TEST(PythonRandom, RecordedStreams) {
  int streams = 0;
  for (const std::string& line : data_lines("units/units.jsonl.gz")) {
    const nlohmann::json row = nlohmann::json::parse(line);
    if (row["kind"] != "random") continue;
    ++streams;
    const std::string seed = row["seed"];
    const RandomKey key = row["string"] ? text_key(seed) : Seed(seed).board_key();
    PythonRandom words(key), draws(key);
    for (const uint32_t v : row["u32"]) EXPECT_EQ(words.u32(), v) << seed;
    for (const double v : row["random"]) EXPECT_EQ(draws.random(), v) << seed;
    for (const double v : row["uniform_0.025_0.05"]) EXPECT_EQ(draws.uniform(0.025, 0.05), v) << seed;
    for (const auto& v : row["randint"]) EXPECT_EQ(draws.randint(v[0], v[1]), v[2].get<int>()) << seed;
  }
  EXPECT_GE(streams, 14);
}

TEST(Seed, NumbersAndTextsAgree) {
  for (const int64_t v : {int64_t(0), int64_t(-7), int64_t(1) << 40, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(Seed(v).text(), std::to_string(v));
    EXPECT_EQ(Seed(v).board_key(), Seed(std::to_string(v)).board_key());
  }
  EXPECT_EQ(Seed("1208925819614629174706181").board_key(), (RandomKey{5, 0, 1u << 16}));  // 2^80 + 5
  EXPECT_EQ(Seed(-7).board_key(), Seed(7).board_key());
  EXPECT_NE(Seed(-7).wave_key(50), Seed(7).wave_key(50));
  EXPECT_EQ(Seed("-0").text(), "0");
  EXPECT_EQ(Seed("007").text(), "7");
}

TEST(Seed, RefusesWhatIsNoWholeNumber) {
  for (const char* text : {"", "-", "5.0", "+5", " 5", "5 ", "1e3", "0x10", "--5", "five"})
    EXPECT_THROW(Seed{std::string_view(text)}, std::runtime_error) << text;
}

}  // namespace
}  // namespace orbit

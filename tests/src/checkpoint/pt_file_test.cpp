// Reader and writer against each other and against damage. What PyTorch itself reads and writes:
// tests/python/test_checkpoint_{reader,writer,damage}.py.
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/describe.h"
#include "src/checkpoint/little_endian.h"
#include "src/checkpoint/pt_reader.h"
#include "src/checkpoint/pt_tensor.h"
#include "src/checkpoint/pt_writer.h"
#include "src/checkpoint/safetensors.h"
#include "src/checkpoint/zip_archive.h"
#include "src/checkpoint/zip_writer.h"
#include "src/common/error.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

class PtFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("orbit_pt_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static Bytes bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static PtValue sample() {
    const at::Tensor base = at::arange(24, at::kFloat).view({4, 6});
    PtValue state = PtValue::dict();
    state.set("weight", from_tensor(base));
    state.set("view", from_tensor(base.t().slice(0, 1, 5, 2)));
    PtValue value = PtValue::dict();
    value.set("model", state);
    value.set("step", 70000);
    value.set("big", int64_t(1) << 40);
    value.set("note", "h\xc3\xa9llo");
    value.set("raw", PtValue::bytes(std::string("\0\xff\x80", 3)));
    value.set("list", PtValue::list({1, 2.5, true, PtValue(), PtValue::tuple({"a", -1})}));
    return value;
  }

  fs::path folder_;
};

// The same file without checksums, so that damage gets past them and into the parsers.
void clear_checksums(Bytes& file) {
  for (size_t at = 0; at + 46 < file.size(); ++at) {
    if (little32(file, at) == 0x02014b50) std::fill_n(file.begin() + std::ptrdiff_t(at) + 16, 4, uint8_t(0));
  }
}

// True if it was read, false if it was refused; anything else is a failure of the test.
template <typename Read>
bool read_or_refuse(const Bytes& file, const Read& read) {
  const auto copy = std::make_shared<Bytes>(file);
  try {
    const PtValue value = read(copy);
    describe_as_json_lines(value);
    describe_as_text(value);
    return true;
  } catch (const DamagedFile&) {
    return false;
  }
}

bool read_pt_or_refuse(const Bytes& file) {
  return read_or_refuse(file, [](const auto& bytes) { return read_pt_bytes(*bytes, bytes, "damaged"); });
}

TEST_F(PtFile, WhatIsWrittenIsReadBack) {
  const PtValue value = sample();
  write_pt(path("a.pt"), value);
  const PtValue back = read_pt(path("a.pt"));
  EXPECT_EQ(describe_as_json_lines(value), describe_as_json_lines(back));
  const at::Tensor weight = to_tensor(back.at("model").at("weight")), view = to_tensor(back.at("model").at("view"));
  EXPECT_TRUE(at::equal(view, weight.t().slice(0, 1, 5, 2)));
  weight.fill_(7);  // one storage, as in Python
  EXPECT_EQ(view.sum().item<float>(), 7.0f * float(view.numel()));
  EXPECT_EQ(to_tensor(read_pt(path("a.pt")).at("model").at("weight")).sum().item<float>(), 276.0f) << "the file was written to";
  EXPECT_EQ(back.at("step").as_int(), 70000);
  EXPECT_THROW(back.at("step").as_string(), UserError);
  EXPECT_THROW(back.at("nothing"), UserError);
}

TEST_F(PtFile, EqualValuesGiveEqualBytes) {
  write_pt(path("a.pt"), sample());
  write_pt(path("b.pt"), sample());
  EXPECT_EQ(bytes_of(path("a.pt")), bytes_of(path("b.pt")));
}

TEST_F(PtFile, StoragesLieOnMultiplesOf64) {
  write_pt(path("a.pt"), sample());
  const Bytes file = bytes_of(path("a.pt"));
  const ZipArchive archive(file);
  EXPECT_GT(archive.records().size(), 3u);
  for (const ZipRecord& record : archive.records()) EXPECT_EQ((record.bytes.data() - file.data()) % 64, 0) << record.name;
}

TEST_F(PtFile, WideZipFields) {
  const Bytes large(1000, 42), small(10, 1);
  {
    ZipWriter zip(path("wide.zip"), 500);  // as if 500 were 4 GiB
    zip.add("large", large);
    zip.add("small", small);
    zip.finish();
  }
  const Bytes file = bytes_of(path("wide.zip"));
  const ZipArchive archive(file);
  ASSERT_EQ(archive.records().size(), 2u);
  for (const auto& [name, expected] : {std::pair{"large", large}, std::pair{"small", small}}) {
    const ZipRecord* record = archive.find(name);
    ASSERT_NE(record, nullptr);
    EXPECT_TRUE(std::equal(record->bytes.begin(), record->bytes.end(), expected.begin(), expected.end()));
    EXPECT_EQ(record->crc, crc32_of(expected));
  }
}

TEST_F(PtFile, EveryTruncationIsRefused) {
  write_pt(path("a.pt"), sample());
  const Bytes file = bytes_of(path("a.pt"));
  ASSERT_TRUE(read_pt_or_refuse(file));
  for (size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(read_pt_or_refuse({file.begin(), file.begin() + std::ptrdiff_t(length)})) << length;
  }
}

TEST_F(PtFile, DamageIsReadOrRefused) {
  std::mt19937_64 random(fresh_seed());
  write_pt(path("a.pt"), sample());
  Bytes file = bytes_of(path("a.pt"));
  clear_checksums(file);
  const ZipArchive archive(file);
  const auto pickle = archive.find("archive/data.pkl")->bytes;
  const size_t start = size_t(pickle.data() - file.data());
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes damaged = file;
    const int changes = 1 << random() % 5;
    for (int i = 0; i < changes; ++i) {
      const size_t at = random() % 4 == 0 ? random() % file.size() : start + random() % pickle.size();
      damaged[at] = random() % 2 == 0 ? uint8_t(random()) : uint8_t(damaged[at] ^ 1 << random() % 8);
    }
    read += read_pt_or_refuse(damaged);
  }
  EXPECT_GT(read, 100);  // damage to numbers and texts goes unseen without checksums: the parsers were reached
  EXPECT_LT(read, 19900);
}

TEST_F(PtFile, DamageToTensorsIsFoundByTheirChecksum) {
  write_pt(path("a.pt"), sample());
  Bytes file = bytes_of(path("a.pt"));
  const size_t at = size_t(ZipArchive(file).find("archive/data/0")->bytes.data() - file.data());
  file[at + 5] ^= 1;
  const auto copy = std::make_shared<Bytes>(file);
  const PtValue value = read_pt_bytes(*copy, copy, "damaged");
  EXPECT_THROW(to_tensor(value.at("model").at("weight")), UserError);
}

TEST_F(PtFile, DamagedSafetensorsAreReadOrRefused) {
  std::mt19937_64 random(fresh_seed());
  const PtValue state = sample().at("model");
  write_safetensors(path("a.safetensors"), state);
  EXPECT_EQ(elements_crc32(read_safetensors(path("a.safetensors")).at("view").as_tensor_view()),
            elements_crc32(state.at("view").as_tensor_view()));
  EXPECT_THROW(write_safetensors(path("b.safetensors"), sample()), UserError);
  const Bytes file = bytes_of(path("a.safetensors"));
  const auto read = [](const auto& bytes) { return read_safetensors_bytes(*bytes, bytes, "damaged"); };
  for (size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(read_or_refuse({file.begin(), file.begin() + std::ptrdiff_t(length)}, read)) << length;
  }
  for (int round = 0; round < 5000; ++round) {
    Bytes damaged = file;
    const int changes = 1 << random() % 4;
    for (int i = 0; i < changes; ++i) damaged[random() % (random() % 4 == 0 ? file.size() : 150)] ^= uint8_t(1 << random() % 8);
    read_or_refuse(damaged, read);
  }
}

TEST_F(PtFile, OverlappingRecordsAreRefused) {
  const Bytes inner = {1, 2, 3};
  {
    ZipWriter zip(path("a.zip"));
    zip.add("one", inner);
    zip.add("two", inner);
    zip.finish();
  }
  Bytes file = bytes_of(path("a.zip"));
  EXPECT_NO_THROW(ZipArchive{file});
  const std::string_view entry = "PK\x01\x02";
  const auto first = std::search(file.begin(), file.end(), entry.begin(), entry.end());
  for (int field : {20, 24}) first[field] = 100;  // the first record now reaches into the second
  EXPECT_THROW(ZipArchive{file}, DamagedFile);
}

TEST(PtValue, CopiesDoNotFollowEachOther) {
  PtValue a = PtValue::dict();
  a.set("x", 1);
  PtValue b = a;
  b.set("x", 2);
  b.set("y", PtValue::list());
  EXPECT_EQ(a.at("x").as_int(), 1);
  EXPECT_EQ(a.find("y"), nullptr);
  b.set("self", b);
  EXPECT_EQ(b.entries().size(), 3u);
  EXPECT_EQ(b.at("self").entries().size(), 2u);
}

TEST(PtValue, PrintableEscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\n\x1b[31m\xc3\xa9\xff\xc2\x9b"), "a\\x0a\\x1b[31m\xc3\xa9\\xff\\xc2\\x9b");
}

TEST(PtValue, LargeIntegersInDecimal) {
  EXPECT_EQ(integer_text(std::string("\0\0\0\0\0\0\0\0\x01", 9)), "18446744073709551616");
  EXPECT_EQ(integer_text(std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xfe", 9)), "-18446744073709551617");
}

}  // namespace
}  // namespace orbit

#include "src/checkpoint/named_weights.h"
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <algorithm>
#include "src/checkpoint/pt_reader.h"
#include "src/common/error.h"

namespace orbit {
namespace {
const std::string kFeatures = std::string(ORBIT_TEST_DATA) + "/features/";
const std::vector<std::string> kBcMayMiss = {"value_head.", "ship_log_std."};

NamedTensors zeros_like(const NamedTensors& model) {
  NamedTensors made;
  for (const auto& [name, tensor] : model) made.emplace_back(name, at::zeros(tensor.sizes()));
  return made;
}

std::string error_of(const NamedTensors& target, const NamedTensors& source,
                     const std::vector<std::string>& may_be_missing = {}) {
  try {
    load_by_name(target, source, may_be_missing, "file.pt");
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(NamedWeights, WholeFileLoads) {
  const NamedTensors source = read_state_dict(kFeatures + "actor_critic_small.pt");
  const NamedTensors target = zeros_like(source);
  EXPECT_TRUE(load_by_name(target, source, kBcMayMiss, "file.pt").empty());
  for (size_t i = 0; i < source.size(); ++i) EXPECT_TRUE(at::equal(source[i].second, target[i].second)) << source[i].first;
}

TEST(NamedWeights, ImitationFileLeavesTheValueHead) {
  const NamedTensors target = zeros_like(read_state_dict(kFeatures + "actor_critic_small.pt"));
  const NamedTensors source = read_state_dict(kFeatures + "bc_small.pt");
  auto absent = load_by_name(target, source, kBcMayMiss, "file.pt");
  std::sort(absent.begin(), absent.end());
  EXPECT_EQ(absent, (std::vector<std::string>{"ship_log_std.log_std", "value_head.net.0.bias", "value_head.net.0.weight",
                                              "value_head.net.2.bias", "value_head.net.2.weight"}));
  EXPECT_NE(error_of(target, source).find("missing: "), std::string::npos);
}

TEST(NamedWeights, PartOfWhatMayBeMissingIsAnError) {
  NamedTensors source = read_state_dict(kFeatures + "actor_critic_small.pt");
  const NamedTensors target = zeros_like(source);
  std::erase_if(source, [](const auto& named) { return named.first == "value_head.net.0.bias"; });
  EXPECT_NE(error_of(target, source, kBcMayMiss).find("missing: value_head.net.0.bias"), std::string::npos);
}

TEST(NamedWeights, OneLineNamesEverythingAndNothingIsCopied) {
  const NamedTensors target = {{"a", at::zeros({2, 3})}, {"b", at::zeros({1})}, {"c", at::zeros({4})}, {"d", at::zeros({2})}};
  const NamedTensors source = {
      {"a", at::ones({3, 2})}, {"c", at::ones({4})}, {"d", at::ones({2}, at::kLong)}, {"e\n", at::ones({5})}};
  const std::string error = error_of(target, source);
  for (const char* part :
       {"file.pt: ", "missing: b (1)", "unexpected: e\\x0a (5)", "a (3, 2) instead of (2, 3)", "d Long instead of Float"}) {
    EXPECT_NE(error.find(part), std::string::npos) << part << " in " << error;
  }
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_EQ(target[2].second.sum().item<float>(), 0.0f);
}

TEST(NamedWeights, PrecisionIsConverted) {
  const NamedTensors target = {{"a", at::zeros({3})}};
  EXPECT_EQ(error_of(target, {{"a", at::ones({3}, at::kBFloat16)}}), "");
  EXPECT_EQ(target[0].second.sum().item<float>(), 3.0f);
}

std::string names_found(const std::vector<std::string>& given) {
  NamedTensors tensors;
  for (const auto& name : given) tensors.emplace_back(name, at::ones({1}));
  std::string out;
  for (const auto& [name, tensor] : find_state_dict(state_dict_value(tensors), "file.pt")) out += name + " ";
  return out;
}

TEST(NamedWeights, WrapperPrefixesGo) {
  EXPECT_EQ(names_found({"module.a", "module.b.module.c"}), "a b.module.c ");
  EXPECT_EQ(names_found({"_orig_mod.module.a", "_orig_mod.module.b"}), "a b ");
  EXPECT_EQ(names_found({"module._orig_mod.a"}), "a ");
  EXPECT_EQ(names_found({"net._orig_mod.a", "net.b"}), "net.a net.b ");
  EXPECT_EQ(names_found({"module.a", "b"}), "module.a b ");
  EXPECT_THROW(names_found({"_orig_mod.a", "a"}), UserError);
}

TEST(NamedWeights, TheKeyChoosesAmongSeveral) {
  PtValue file = PtValue::dict();
  file.set("actor", state_dict_value({{"x", at::ones({1})}}));
  file.set("critic", state_dict_value({{"y", at::ones({2})}}));
  EXPECT_THROW(find_state_dict(file, "file.pt"), UserError);
  EXPECT_EQ(find_state_dict(file, "file.pt", "critic").front().first, "y");
  EXPECT_THROW(find_state_dict(file, "file.pt", "nobody"), UserError);
  file.set("policy", state_dict_value({{"z", at::ones({2})}}));
  EXPECT_EQ(find_state_dict(file, "file.pt").front().first, "z");
  EXPECT_EQ(find_state_dict(read_pt(kFeatures + "policy.pt"), "policy.pt", "ref_state_dict").size(), 88u);
}

}  // namespace
}  // namespace orbit

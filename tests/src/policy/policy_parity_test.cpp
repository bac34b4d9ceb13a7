// The numbers of the original PyTorch code (tests/data/features/policy.pt), in both layouts: outputs, log-probabilities,
// entropies, greedy actions, loss terms, gradients and the parameters after one AdamW step, within the tolerances of its README.
#include <gtest/gtest.h>

#include "src/checkpoint/pt_reader.h"
#include "src/parity/policy_check.h"

namespace orbit {
namespace {

TEST(PolicyParity, NumbersOfTheOriginal) {
  const std::string file = std::string(ORBIT_TEST_DATA) + "/features/policy.pt";
  const ParityCase policy_case(read_pt(file), file);
  for (const Layout layout : {Layout::kPacked, Layout::kPadded}) {
    const std::vector<Comparison> compared = check_policy(policy_case, {.layout = layout, .torchscript = ""});
    // 4 outputs, 4 of actions, 7 of the loss, 88 gradients, the norm, 88 tensors after the step.
    EXPECT_EQ(compared.size(), 4u + 4 + 7 + 88 + 1 + 88);
    for (const Comparison& c : compared) EXPECT_TRUE(c.ok()) << c.thing().name << ": " << c.thing().line;
  }
}

}  // namespace
}  // namespace orbit

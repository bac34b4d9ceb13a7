// What the commands policy, gae, update and sample share: cases that PyTorch wrote (scripts/parity_reference.py), how their
// entries become tensors and networks, and how tensors are compared.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "src/checkpoint/pt_value.h"
#include "src/parity/comparison.h"
#include "src/policy/orbit_policy.h"

namespace orbit {

// A case: a dict in a .pt file, its inputs beside what PyTorch made of them.
class ParityCase {
 public:
  // `file` is for messages.
  ParityCase(PtValue value, std::string file) : value_(std::move(value)), file_(std::move(file)) {}

  const PtValue* find(const char* key) const { return value_.find(key); }
  const PtValue& at(const char* key) const { return value_.at(key); }
  at::Tensor tensor(const char* key) const;
  double number(const char* key) const { return value_.at(key).as_double(); }
  ParityCase inner(const char* key) const { return {value_.at(key), file_}; }
  const std::string& file() const { return file_; }

  // orbit_v1 of the sizes in `config` (hidden, heads, inducing, layers, no_op_bias) with the weights under `weights`.
  std::unique_ptr<OrbitPolicy> policy(const char* weights, Layout layout) const;
  PolicyInput input() const;  // planet, global, valid, mine

 private:
  PtValue value_;
  std::string file_;
};

double largest(const at::Tensor& t);  // absolute value; 0 of an empty tensor

// Every element of `found` against `expected` (any dtypes), |difference| <= tolerance. Another shape is a UserError.
Comparison compare_tensors(const std::string& name, const at::Tensor& found, const at::Tensor& expected, double tolerance,
                           const std::string& file);

struct CaseOptions {
  Layout layout = Layout::kPacked;
  std::string torchscript;  // a .ts file to check in place of the network built in; empty: none
};

// How a command checks one case.
using CaseCheck = std::vector<Comparison> (*)(const ParityCase& parity_case, const CaseOptions& options);

// The command line of such a command: --case FILE or FOLDER (then every NAME-*.pt in it), repeatable; --layout; --json.
// Reports all comparisons, those of several cases with the file's name before theirs; returns the exit code.
int run_case_command(const std::string& name, const std::string& purpose, CaseCheck check, int argc, char** argv);

}  // namespace orbit

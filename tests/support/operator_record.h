// What one run of a piece of work did, operator by operator: seen by an observer of everything that is dispatched. Shows on a CPU
// whether the work could be captured on a GPU, and replays it as a captured graph would: the same operators on the same storages.
#pragma once
#include <ATen/record_function.h>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>
#include "src/captured_step.h"

namespace orbit {

// One call of an operator that does work itself (composites are seen through their parts).
struct OperatorCall {
  std::string name, overload;           // aten::add, Tensor
  std::string shape;                    // dtypes, shapes and strides of inputs and outputs, host numbers
  std::vector<const void*> addresses;   // of the inputs that were made before the run
  std::vector<c10::IValue> inputs, outputs;
};

struct OperatorRecord {
  std::vector<OperatorCall> calls;
  std::vector<std::string> synchronisations;  // operators that wait for the device, copy between devices, or whose shape depends on data
};

OperatorRecord record_operators(const std::function<void()>& work);

// What keeps two runs of the same work from being one captured graph: synchronisations; other operators, shapes or host numbers;
// storages that moved. Empty where it can be captured.
std::vector<std::string> capture_obstacles(const OperatorRecord& first, const OperatorRecord& second);

// Runs a few times to settle, then twice under the observer.
std::vector<std::string> capture_obstacles(const std::function<void()>& work);

// Stands in for CUDA graphs: `record` notes the calls of a run, `replay` makes them again. Recording on a GPU executes nothing, here
// it does; so the first replay, which belongs to the same run, is left out.
class ReplayBackend final : public CaptureBackend {
 public:
  void warm_up(const std::function<void()>& body) override { body(); }
  int64_t record(const std::function<void()>& body) override;
  void replay() override;

 private:
  OperatorRecord record_;
  bool executed_ = false;
};

}  // namespace orbit

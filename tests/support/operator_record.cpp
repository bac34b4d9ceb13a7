#include "tests/support/operator_record.h"
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace orbit {
namespace {

const std::set<std::string> kSynchronising = {
    "aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero", "aten::nonzero_static", "aten::nonzero_numpy",
    "aten::argwhere", "aten::masked_select", "aten::unique_dim", "aten::_unique", "aten::_unique2", "aten::unique_consecutive",
    "aten::equal", "aten::allclose", "aten::bincount", "aten::repeat_interleave", "aten::to_sparse", "aten::pin_memory"};
// Their CPU kernels read a number that the CUDA kernels leave on the device.
const std::set<std::string> kReadOnCpuAlone = {"aten::_fused_adamw_", "aten::_fused_adam_", "aten::clamp", "aten::_assert_async"};
// Make a tensor without looking at anything; what comes out of them is written later.
bool only_makes_room(const std::string& name) { return name.starts_with("aten::empty") || name.starts_with("aten::new_empty"); }

template <class F>
void each_tensor(const c10::IValue& v, F f) {
  if (v.isTensor()) {
    if (v.toTensor().defined()) f(v.toTensor());
  } else if (v.isList()) {
    for (const c10::IValue& x : v.toListRef()) each_tensor(x, f);
  }
}

const void* storage_of(const at::Tensor& t) { return t.has_storage() ? t.storage().unsafeGetStorageImpl() : nullptr; }

void describe(std::ostream& out, const c10::IValue& v) {
  if (v.isDouble()) out << 'd' << v.toDouble() << ';';
  else if (v.isInt()) out << 'i' << v.toInt() << ';';
  else if (v.isBool()) out << 'b' << v.toBool() << ';';
  else if (v.isScalar()) out << 's' << v.toScalar().toDouble() << ';';
  else if (v.isIntList()) out << c10::IntArrayRef(v.toIntVector()) << ';';
  else each_tensor(v, [&](const at::Tensor& t) { out << t.dtype() << t.sizes() << t.strides() << t.storage_offset() << ';'; });
}

struct Observer {
  OperatorRecord record;
  std::vector<std::string> open;             // names of the calls that run
  int whole = 0;                             // depth inside of a call that is recorded as a whole
  std::unordered_set<const void*> inside;    // storages made by the work
  std::vector<c10::Storage> kept;            // alive to the end, so that no address is used twice
};
thread_local Observer* observer = nullptr;

struct Begun : at::ObserverContext {
  OperatorCall call;
  std::unordered_set<const void*> inputs;
  bool recorded = false;
};

// Composites have no kernel of their own; what they call is seen instead.
bool is_composite(const c10::OperatorHandle& op) {
  return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
}

bool indexes_by_mask(const std::string& name, size_t position, const c10::IValue& v) {
  static const std::set<std::string> indexing = {"aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::index_put"};
  bool mask = false;
  if (position == 1 && indexing.contains(name))
    each_tensor(v, [&](const at::Tensor& t) { mask = mask || t.scalar_type() == at::kBool || t.scalar_type() == at::kByte; });
  return mask;
}

// Between devices; on a CPU alone there is one, so that a target is looked for among the arguments.
bool copies_between_devices(const std::string& name, const std::vector<c10::IValue>& inputs) {
  if (name == "aten::copy_" || name == "aten::_copy_from") {
    if (inputs.size() < 2 || !inputs[0].isTensor() || !inputs[1].isTensor()) return false;
    return inputs[0].toTensor().device() != inputs[1].toTensor().device();
  }
  if (name != "aten::_to_copy" && name != "aten::to") return false;
  bool other = false;
  for (const c10::IValue& v : inputs) other = other || (v.isDevice() && v.toDevice() != inputs[0].toTensor().device());
  return other;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& f) {
  const auto name = f.operator_name();
  if (!observer || !name) return nullptr;
  Observer& o = *observer;
  auto begun = std::make_unique<Begun>();
  const std::vector<c10::IValue> inputs(f.inputs().begin(), f.inputs().end());
  bool reads = kSynchronising.contains(name->name) || copies_between_devices(name->name, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) reads = reads || indexes_by_mask(name->name, i, inputs[i]);
  for (const std::string& outer : o.open) reads = reads && !kReadOnCpuAlone.contains(outer);
  if (reads) o.record.synchronisations.push_back((o.open.empty() ? "" : o.open.back() + " > ") + name->name);

  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  begun->recorded = o.whole == 0 && op && !is_composite(*op);
  if (begun->recorded) {
    std::ostringstream text;
    for (const c10::IValue& v : inputs) {
      describe(text, v);
      each_tensor(v, [&](const at::Tensor& t) {
        const void* storage = storage_of(t);
        begun->inputs.insert(storage);
        if (!o.inside.contains(storage)) begun->call.addresses.push_back(t.has_storage() ? t.const_data_ptr() : nullptr);
      });
    }
    begun->call.name = name->name;
    begun->call.overload = name->overload_name;
    begun->call.shape = text.str();
    begun->call.inputs = inputs;
    ++o.whole;
  }
  o.open.push_back(name->name);
  return begun;
}

void end(const at::RecordFunction& f, at::ObserverContext* context) {
  if (!observer || !context) return;
  Observer& o = *observer;
  auto& begun = static_cast<Begun&>(*context);
  o.open.pop_back();
  if (!begun.recorded) return;
  --o.whole;
  std::ostringstream text;
  for (const c10::IValue& v : f.outputs()) {
    describe(text, v);
    each_tensor(v, [&](const at::Tensor& t) {
      const void* storage = storage_of(t);
      if (storage && !begun.inputs.contains(storage) && o.inside.insert(storage).second) o.kept.push_back(t.storage());
    });
  }
  begun.call.shape += "->" + text.str();
  begun.call.outputs.assign(f.outputs().begin(), f.outputs().end());
  o.record.calls.push_back(std::move(begun.call));
}

void make_again(const OperatorCall& call) {
  if (only_makes_room(call.name)) return;
  std::vector<c10::IValue> stack = call.inputs;
  std::unordered_set<const void*> given;
  for (const c10::IValue& v : call.inputs) each_tensor(v, [&](const at::Tensor& t) { given.insert(storage_of(t)); });
  c10::Dispatcher::singleton().findSchemaOrThrow(call.name.c_str(), call.overload.c_str()).callBoxed(stack);
  if (stack.size() != call.outputs.size()) throw std::logic_error(call.name + ": other outputs than recorded");
  for (size_t i = 0; i < stack.size(); ++i) {
    std::vector<at::Tensor> fresh, recorded;
    each_tensor(stack[i], [&](const at::Tensor& t) { fresh.push_back(t); });
    each_tensor(call.outputs[i], [&](const at::Tensor& t) { recorded.push_back(t); });
    for (size_t k = 0; k < recorded.size(); ++k)
      if (!given.contains(storage_of(recorded[k]))) recorded[k].copy_(fresh[k]);
  }
}

}  // namespace

OperatorRecord record_operators(const std::function<void()>& work) {
  Observer o;
  observer = &o;
  const at::CallbackHandle handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(begin, end).needsInputs(true).needsOutputs(true).scopes({at::RecordScope::FUNCTION}));
  try {
    work();
  } catch (...) {
    at::removeCallback(handle);
    observer = nullptr;
    throw;
  }
  at::removeCallback(handle);
  observer = nullptr;
  return std::move(o.record);
}

std::vector<std::string> capture_obstacles(const OperatorRecord& first, const OperatorRecord& second) {
  std::vector<std::string> found;
  for (const std::string& s : second.synchronisations) found.push_back("waits for the device: " + s);
  if (first.calls.size() != second.calls.size())
    found.push_back("another number of operators: " + std::to_string(first.calls.size()) + ", then " + std::to_string(second.calls.size()));
  for (size_t i = 0; i < std::min(first.calls.size(), second.calls.size()); ++i) {
    const OperatorCall &a = first.calls[i], &b = second.calls[i];
    if (a.name != b.name || a.overload != b.overload) {
      found.push_back("another operator: " + a.name + ", then " + b.name);
      break;  // what follows is out of step
    }
    if (a.shape != b.shape) found.push_back("shapes or host numbers of " + a.name + " differ: " + a.shape + " against " + b.shape);
    if (a.addresses != b.addresses) found.push_back("a storage that " + a.name + " uses has moved");
  }
  return found;
}

std::vector<std::string> capture_obstacles(const std::function<void()>& work) {
  for (int i = 0; i < 2; ++i) work();
  const OperatorRecord first = record_operators(work), second = record_operators(work);
  return capture_obstacles(first, second);
}

int64_t ReplayBackend::record(const std::function<void()>& body) {
  record_ = record_operators(body);
  executed_ = true;
  return int64_t(record_.calls.size());
}

void ReplayBackend::replay() {
  if (std::exchange(executed_, false)) return;
  at::NoGradGuard no_gradients;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  for (const OperatorCall& call : record_.calls) make_again(call);
}

}  // namespace orbit

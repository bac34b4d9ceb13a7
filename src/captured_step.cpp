#include "src/captured_step.h"
#include <ATen/record_function.h>
#include <exception>
#include "src/common/log.h"

namespace orbit {
namespace {

constexpr int kWarmUps = 3;

// Operators end from the inside out, also when an exception takes them down: the first one to end like that has failed. Where it
// came from between two operators, the last one that ended is the best there is to say.
struct LastOperators {
  std::string ended, failed;
};
thread_local LastOperators last_operators;

std::unique_ptr<at::ObserverContext> begin_operator(const at::RecordFunction&) { return nullptr; }
void end_operator(const at::RecordFunction& f, at::ObserverContext*) {
  if (std::uncaught_exceptions() == 0) last_operators.ended = f.name();
  else if (last_operators.failed.empty()) last_operators.failed = f.name();
}

class OperatorWatch {
 public:
  OperatorWatch() {
    last_operators = {};
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin_operator, end_operator).scopes({at::RecordScope::FUNCTION}));
  }
  ~OperatorWatch() { at::removeCallback(handle_); }
  OperatorWatch(const OperatorWatch&) = delete;

 private:
  at::CallbackHandle handle_;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

CapturedStep::CapturedStep(std::string name, std::function<void()> body, std::unique_ptr<CaptureBackend> backend)
    : name_(std::move(name)), body_(std::move(body)), backend_(std::move(backend)) {}

void CapturedStep::run() {
  if (!backend_) return body_();
  if (runs_ < kWarmUps) {
    ++runs_;
    return backend_->warm_up(body_);
  }
  if (!recorded_) record();
  if (recorded_) return backend_->replay();
  body_();
}

void CapturedStep::record() {
  OperatorWatch watch;
  try {
    const int64_t work = backend_->record(body_);
    recorded_ = true;
    log_info("the " + name_ + " is captured: " + std::to_string(work) + " kernels and copies in one launch");
  } catch (const std::exception& e) {
    const LastOperators& last = last_operators;
    const std::string after = "failed after " + (last.ended.empty() ? "none" : last.ended);
    const std::string failed = !last.failed.empty() ? last.failed + " failed" : after;
    log_warning("the " + name_ + " cannot be captured and runs operator by operator, which is slower: " +
                failed + " (" + first_line(e.what()) + ")");
    backend_.reset();
  }
}

}  // namespace orbit

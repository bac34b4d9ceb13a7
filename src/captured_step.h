// A piece of work that runs over and over on tensors at fixed addresses: recorded once, then replayed without the host's cost of
// dispatching its operators. Knows nothing of what it runs.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace orbit {

// Records the device work of one run of a body, and repeats it.
class CaptureBackend {
 public:
  virtual ~CaptureBackend() = default;
  // Runs before the recording, to let allocators and libraries settle; on the stream that the recording will use.
  virtual void warm_up(const std::function<void()>& body) = 0;
  // Returns how many pieces of device work a replay launches at once. Throws where something in the body cannot be recorded.
  // Nothing has been executed then, nor after a recording that succeeds.
  virtual int64_t record(const std::function<void()>& body) = 0;
  virtual void replay() = 0;
};

// CUDA graphs; null in a build without CUDA.
std::unique_ptr<CaptureBackend> make_cuda_backend();

class CapturedStep {
 public:
  // backend: null runs the body as it is, always. name is for the message. The body may depend on nothing that changes between
  // runs but the contents of tensors.
  CapturedStep(std::string name, std::function<void()> body, std::unique_ptr<CaptureBackend> backend);

  // A few times the body itself, then a recording, then replays; the body itself for ever where recording failed, which is
  // said once and names the operator.
  void run();
  bool replays() const { return recorded_; }

 private:
  void record();

  std::string name_;
  std::function<void()> body_;
  std::unique_ptr<CaptureBackend> backend_;
  int runs_ = 0;
  bool recorded_ = false;
};

}  // namespace orbit

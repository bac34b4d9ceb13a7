// CUDA graphs behind CaptureBackend; the one file that knows at::cuda::CUDAGraph.
#include "src/captured_step.h"
#if defined(ORBIT_WITH_CUDA)
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

namespace orbit {
namespace {

class CudaBackend final : public CaptureBackend {
 public:
  CudaBackend() : stream_(c10::cuda::getStreamFromPool()) {}

  void warm_up(const std::function<void()>& body) override { on_own_stream(body); }

  int64_t record(const std::function<void()>& body) override {
    c10::cuda::device_synchronize();
    graph_ = std::make_unique<at::cuda::CUDAGraph>(/*keep_graph=*/true);  // the constructor needs a driver, so not earlier
    on_own_stream([&] {
      graph_->capture_begin();
      try {
        body();
      } catch (...) {
        end_broken_capture();
        throw;
      }
      graph_->capture_end();
    });
    graph_->instantiate();
    size_t nodes = 0;
    C10_CUDA_CHECK(cudaGraphGetNodes(graph_->raw_cuda_graph(), nullptr, &nodes));
    return int64_t(nodes);
  }

  void replay() override { graph_->replay(); }

 private:
  // What came before on the present stream is done first, and what comes after waits.
  void on_own_stream(const std::function<void()>& work) {
    const c10::cuda::CUDAStream outer = c10::cuda::getCurrentCUDAStream();
    wait(stream_, outer);
    {
      c10::cuda::CUDAStreamGuard guard(stream_);
      work();
    }
    wait(outer, stream_);
  }

  static void wait(const c10::cuda::CUDAStream& later, const c10::cuda::CUDAStream& earlier) {
    c10::Event done(c10::DeviceType::CUDA);
    done.record(earlier.unwrap());
    done.block(later.unwrap());
  }

  // The stream must leave capture mode before anything can run on it; the error that ends it is the one already on its way.
  void end_broken_capture() {
    try {
      graph_->capture_end();
    } catch (const std::exception&) {
    }
    graph_.reset();
    cudaGetLastError();
  }

  c10::cuda::CUDAStream stream_;
  std::unique_ptr<at::cuda::CUDAGraph> graph_;
};

}  // namespace

std::unique_ptr<CaptureBackend> make_cuda_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace orbit
#else
namespace orbit {
std::unique_ptr<CaptureBackend> make_cuda_backend() { return nullptr; }
}  // namespace orbit
#endif

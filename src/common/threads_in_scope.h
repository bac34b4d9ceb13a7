// So many of Torch's threads as long as it lives; 0 leaves them as they are.
#pragma once
#include <ATen/Parallel.h>

namespace orbit {

class ThreadsInScope {
 public:
  explicit ThreadsInScope(int threads) : before_(at::get_num_threads()), other_(threads > 0 && threads != before_) {
    if (other_) at::set_num_threads(threads);
  }
  ~ThreadsInScope() {
    if (other_) at::set_num_threads(before_);
  }
  ThreadsInScope(const ThreadsInScope&) = delete;
  ThreadsInScope& operator=(const ThreadsInScope&) = delete;

 private:
  int before_;
  bool other_;
};

}  // namespace orbit

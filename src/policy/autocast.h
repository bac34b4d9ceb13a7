// Matrix products in bfloat16, for any network.
#pragma once
#include <ATen/autocast_mode.h>

namespace orbit {

// Matrix products in bfloat16 for the life of the object. Weights are cast where they are used, not kept: a captured region must
// see them change.
class Autocast {
 public:
  explicit Autocast(at::DeviceType device) : device_(device), was_caching_(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~Autocast() {
    at::autocast::set_autocast_enabled(device_, false);
    at::autocast::set_autocast_cache_enabled(was_caching_);
  }
  Autocast(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool was_caching_;
};

}  // namespace orbit

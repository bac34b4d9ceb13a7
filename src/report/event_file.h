// The metrics for TensorBoard: event files in the run's folder, written without TensorBoard.
#pragma once
#include <cstdint>
#include <string>
#include "src/report/metrics.h"

namespace orbit {

class EventFile {
 public:
  // Starts a new file events.out.tfevents.SECONDS.orbit_train in the folder, named so that it sorts behind those that are there.
  // Its first record tells TensorBoard to forget what those say about the steps from `first_step` on.
  EventFile(const std::string& folder, int64_t first_step);

  // The row's numbers as scalars at step `iteration`, each under SECTION/NAME. Throws RunError (a full disk).
  void append(const MetricsRow& row) const;

 private:
  std::string path_;
};

// rollout, update, evaluation or speed: the part of an iteration that a metric speaks of.
std::string metric_section(const std::string& name);

}  // namespace orbit

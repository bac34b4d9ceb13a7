// What follows from the numbers of a minibatch: whether its update may be applied, and what is noted of it. Torch-free; one thread.
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

// Terms of a minibatch's loss, means over its rows, before their coefficients; the total is with them.
enum LossTerm { kTotalLoss, kPolicyTerm, kValueTerm, kEntropyTerm, kKlTerm, kApproxKlTerm, kClipFractionTerm, kLossTerms };
constexpr int kNotedNumbers = kLossTerms + 1;  // all but the total, then the gradient's norm, and 1 for each update applied

struct MinibatchRecord {
  const float* terms;  // (kLossTerms)
  const float* norm;   // () of the gradient
  float* skip;         // () 1: the update is not to be applied
  float* stopped;      // () 1: nor are those that follow
  float* diverged;     // (2) 1, and the loss, of the first update that was unsound
  double* sums;        // (kNotedNumbers) over the updates applied
  int64_t* position;   // () of the minibatch
};

// A loss is sound where it is a number within limits, and its gradient has a norm; NaN compares false.
ORBIT_FN void judge_minibatch(const MinibatchRecord& r, double loss_limit) {
  const double total = fabs(double(r.terms[kTotalLoss]));
  const bool sound = total <= loss_limit && double(*r.norm) <= 3.4028234663852886e38;  // the largest float32
  *r.skip = *r.stopped > 0 || !sound ? 1.0f : 0.0f;
}

// After the update. target_kl: what follows is skipped once approx_kl exceeds it; 0: never.
ORBIT_FN void record_minibatch(const MinibatchRecord& r, double target_kl) {
  const bool skipped = *r.skip > 0;
  if (skipped && !(*r.stopped > 0)) {
    r.diverged[0] = 1;
    r.diverged[1] = r.terms[kTotalLoss];
  }
  if (!skipped) {
    for (int k = 1; k < kLossTerms; ++k) r.sums[k - 1] += double(r.terms[k]);
    r.sums[kLossTerms - 1] += double(*r.norm);
    r.sums[kLossTerms] += 1;
  }
  const bool far = target_kl > 0 && double(r.terms[kApproxKlTerm]) > target_kl;
  *r.stopped = skipped || far ? 1.0f : 0.0f;
  *r.position += 1;
}

}  // namespace orbit

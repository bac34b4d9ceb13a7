// Every collective in a fresh random order: finds rule code whose result depends on the order of slots. Host only, for tests.
#pragma once
#include <numeric>
#include <vector>
#include "envs/common/lanes.h"

namespace orbit {

class Shuffled {
 public:
  explicit Shuffled(uint64_t seed = 88172645463325252ull) : state_(seed | 1) {}

  template <class F>
  void for_each(int n, F f) const {
    for (int i : order(n)) f(i);
  }
  template <class F>
  void for_each_padded(int n, F f) const { for_each((n + 15) & ~15, f); }
  template <class F>
  void once(F f) const { f(); }
  template <class F>
  void for_each_in(Mask set, F f) const {
    for_each(64, [&](int i) { if (has(set, i)) f(i); });
  }
  template <class P, class F>
  void for_each_where(int n, P pred, F f) const {
    std::vector<char> take(n);  // first all tests, then all bodies: pred must not see what f does
    for_each(n, [&](int i) { take[i] = pred(i); });
    for_each(n, [&](int i) { if (take[i]) f(i); });
  }
  template <class P>
  Mask mask(int n, P pred) const {
    Mask m = 0;
    for (int i : order((n + 15) & ~15))  // padding slots are evaluated, as in Serial
      if (pred(i)) m |= Mask(1) << i;
    return m & low_bits(n);
  }
  template <class P>
  int first_where(int n, P pred) const {
    int best = -1;
    for_each(n, [&](int i) { if (pred(i) && (best < 0 || i < best)) best = i; });
    return best;
  }
  template <class P>
  bool any(int n, P pred) const { return first_where(n, pred) >= 0; }
  template <class F>
  auto sum(int n, F f) const {
    decltype(f(0)) s = 0;
    for_each(n, [&](int i) { s += f(i); });
    return s;
  }
  template <class F>
  uint32_t bits_or(int n, F f) const {
    uint32_t s = 0;
    for_each(n, [&](int i) { s |= f(i); });
    return s;
  }
  template <class F>
  uint32_t bits_or_padded(int n, F f) const { return bits_or((n + 15) & ~15, f); }
  template <class F>
  Best argmin(int n, F key) const {
    Best best{-1, 0};
    for_each(n, [&](int i) {
      const double k = key(i);
      if (best.index < 0 || k < best.key || (k == best.key && i < best.index)) best = {i, k};
    });
    return best;
  }
  template <class P, class F>
  int for_each_ranked(int n, P pred, F f) const {
    std::vector<int> rank(n, -1);
    int total = 0;
    for (int i = 0; i < n; ++i)
      if (pred(i)) rank[i] = total++;
    for_each(n, [&](int i) { if (rank[i] >= 0) f(i, rank[i]); });
    return total;
  }
  template <class P, class... T>
  int compact(int n, P keep, T*... arrays) const { return Serial{}.compact(n, keep, arrays...); }
  template <class R, class N, class X, class T>
  void first_match(int rows, int cols, R what, N near, X exact, T then) const {
    for_each(rows, [&](int r) {
      const auto own = what(r);
      const int hit = first_where(cols, [&](int c) { return near(own, c) && exact(r, c); });
      if (hit >= 0) then(r, hit);
    });
  }
  template <class N, class V>
  void for_each_match(int rows, int cols, N near, V visit) const {
    for_each(rows, [&](int r) {
      auto test = near(r);
      for_each(cols, [&](int c) { if (test(c)) visit(r, c); });
    });
  }
  template <class T>
  void add(T& cell, T v) const { cell += v; }

 private:
  std::vector<int> order(int n) const {
    std::vector<int> o(n);
    std::iota(o.begin(), o.end(), 0);
    for (int i = n - 1; i > 0; --i) std::swap(o[i], o[draw(i + 1)]);
    return o;
  }
  uint32_t draw(uint32_t n) const {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return uint32_t((state_ >> 20) % n);
  }
  mutable uint64_t state_;
};

}  // namespace orbit

// Collective steps over the slots of ONE environment. Rule code is written once against this interface and never names a
// lane. Executors: Serial (this file: a loop, for production on a CPU), Warp<CudaWarp> (this file: 32 CUDA threads),
// Shuffled (lanes_shuffled.h) and Warp<FiberWarp> (lanes_fibers.h), which exist to find faults.
//
// Rules of use
//  - Locals of the rule code outside a lambda are uniform: every lane computes the same value. Never assign one inside a
//    lambda (a lane would change its own copy); take results from sum, mask, bits_or, argmin, compact.
//  - A lambda given slot i may write slot i only, or add() to a shared integer cell. Reading slots that others write is a race.
//  - Shared scalars are written inside once() alone, from uniform values.
//  - Every collective is reached by all lanes: branch and loop on uniform values only, and call none from inside a lambda.
//  - for_each, for_each_padded, for_each_in, for_each_where, for_each_ranked, for_each_match, first_match, compact, once are full barriers on
//    both sides: what was written before is seen after. Nothing else needs a sync.
//  - Predicates are pure and cheap. mask, first_where, for_each_where and the matches may evaluate them on padding slots
//    (up to 15 beyond n): arrays are padded to a multiple of 16 and padding holds finite numbers. Use & and |, so that they
//    stay branch-free.
//  - Integer sums only where the result decides something: the order of floating-point sums differs between executors.
//  - add() belongs in first_match (or a collective without the vectoriser's independence promise), never in for_each.
#pragma once
#include "envs/common/host_device.h"
#if !defined(__CUDA_ARCH__) && defined(__AVX2__)
#include <immintrin.h>
#endif

namespace orbit {

struct Best {
  int index;   // -1 where there was no slot
  double key;
};

// One CPU thread, one environment.
struct Serial {
  template <class F>
  ORBIT_FN void for_each(int n, F f) const {
#pragma GCC ivdep  // the order must not matter, so the compiler may assume independence
    for (int i = 0; i < n; ++i) f(i);
  }
  // As for_each, and maybe for padding slots too: for what f writes to scratch alone. Whole blocks of 16 leave no rest to the loop.
  template <class F>
  ORBIT_FN void for_each_padded(int n, F f) const {
    for_each(whole_blocks(n), f);
  }
  template <class F>
  ORBIT_FN void once(F f) const { f(); }
  template <class F>
  ORBIT_FN void for_each_in(Mask set, F f) const { for_bits(set, f); }
  // f for the few slots where pred holds; pred is evaluated branch-free.
  template <class P, class F>
  ORBIT_FN void for_each_where(int n, P pred, F f) const {
    for (int b = 0; b < n; b += 64)
      for_bits(mask(n - b < 64 ? n - b : 64, [&](int i) { return pred(b + i); }), [&](int i) { f(b + i); });
  }
  // The slots below n <= 64 where pred holds. Evaluated in whole blocks of 16, padding slots included.
  template <class P>
  ORBIT_FN Mask mask(int n, P pred) const {
    Mask m = 0;
    for (int b = 0; b < n; b += 16) {
      alignas(64) int32_t flag[16];
      for (int j = 0; j < 16; ++j) flag[j] = pred(b + j) ? -1 : 0;
      m |= Mask(pack16(flag)) << b;
    }
    return m & low_bits(n);
  }
  template <class P>
  ORBIT_FN int first_where(int n, P pred) const {
    for (int b = 0; b < n; b += 64) {
      const Mask m = mask(n - b < 64 ? n - b : 64, [&](int i) { return pred(b + i); });
      if (m) return b + first_bit(m);
    }
    return -1;
  }
  template <class P>
  ORBIT_FN bool any(int n, P pred) const { return first_where(n, pred) >= 0; }
  template <class F>
  ORBIT_FN auto sum(int n, F f) const {
    decltype(f(0)) s = 0;
    for (int i = 0; i < n; ++i) s += f(i);
    return s;
  }
  template <class F>
  ORBIT_FN uint32_t bits_or(int n, F f) const {
    uint32_t s = 0;
    for (int i = 0; i < n; ++i) s |= f(i);
    return s;
  }
  // Perhaps of padding slots too, in whole blocks of 16.
  template <class F>
  ORBIT_FN uint32_t bits_or_padded(int n, F f) const {
    return bits_or(whole_blocks(n), f);
  }
  template <class F>
  ORBIT_FN Best argmin(int n, F key) const {
    Best best{-1, 0};
    for (int i = 0; i < n; ++i) {
      const double k = key(i);
      if (best.index < 0 || k < best.key) best = {i, k};
    }
    return best;
  }
  // f(slot, rank) for the slots where pred holds, rank counting them in slot order; returns their number.
  template <class P, class F>
  ORBIT_FN int for_each_ranked(int n, P pred, F f) const {
    int rank = 0;
    for (int i = 0; i < n; ++i)
      if (pred(i)) f(i, rank++);
    return rank;
  }
  // Stable compaction of all arrays to the slots where keep holds; returns the new length.
  template <class P, class... T>
  ORBIT_FN int compact(int n, P keep, T*... arrays) const {
    int to = first_where(n, [&](int i) { return !keep(i); });
    if (to < 0) return n;
    for (int i = to + 1; i < n; ++i)
      if (keep(i)) {
        ((arrays[to] = arrays[i]), ...);
        ++to;
      }
    return to;
  }
  // then(row, column) for every row that has a column < 64 with near && exact: the first one, in order. near(what(row), column) is the
  // cheap test; what depends on the row alone is computed once. What then writes must not change what other rows read. Here all
  // cheap work of a block of rows comes first: it is branch-free and becomes SIMD.
  template <class R, class N, class X, class T>
  ORBIT_FN void first_match(int rows, int cols, R what, N near, X exact, T then) const {
    for (int b = 0; b < rows; b += 64) {
      decltype(what(0)) what_of[64];
      Mask near_of[64], any = 0;
      const int n = rows - b < 64 ? rows - b : 64;
      for (int q = 0; q < n; q += 16)
        for (int j = 0; j < 16; ++j) what_of[q + j] = what(b + q + j);
      for (int r = 0; r < n; ++r) {
        near_of[r] = mask(cols, [&, own = what_of[r]](int c) { return near(own, c); });
        any |= Mask(near_of[r] != 0) << r;
      }
      for_bits(any, [&](int r) {
        for (Mask m = near_of[r]; m; m &= m - 1) {
          if (!exact(b + r, first_bit(m))) continue;
          then(b + r, first_bit(m));
          break;
        }
      });
    }
  }
  // visit(row, column) for every pair with near; near(row) returns the cheap test of a column, as in first_match. What visit
  // writes belongs to the row. The order of a row's columns is open.
  template <class N, class V>
  ORBIT_FN void for_each_match(int rows, int cols, N near, V visit) const {
    for (int r = 0; r < rows; ++r) {
      auto test = near(r);
      for (int b = 0; b < cols; b += 64)
        for_bits(mask(cols - b < 64 ? cols - b : 64, [&](int c) { return test(b + c); }), [&](int c) { visit(r, b + c); });
    }
  }
  // Atomic on a GPU. Integers only.
  template <class T>
  ORBIT_FN void add(T& cell, T v) const { cell += v; }

 private:
  static ORBIT_FN int whole_blocks(int n) { return (n + 15) & ~15; }
  static ORBIT_FN uint32_t pack16(const int32_t* flag) {
#if !defined(__CUDA_ARCH__) && defined(__AVX2__)
    const auto* f = reinterpret_cast<const float*>(flag);
    return uint32_t(_mm256_movemask_ps(_mm256_load_ps(f))) | uint32_t(_mm256_movemask_ps(_mm256_load_ps(f + 8))) << 8;
#else
    uint32_t m = 0;
    for (int j = 0; j < 16; ++j) m |= uint32_t(flag[j] & 1) << j;
    return m;
#endif
  }
};

// 32 lanes run the rule code together. Hw supplies lane(), sync(), ballot(bool), shfl(value, lane), add(cell, value).
template <class Hw>
struct Warp {
  Hw hw;

  template <class F>
  ORBIT_FN void for_each(int n, F f) const {
    hw.sync();
    for (int i = hw.lane(); i < n; i += 32) f(i);
    hw.sync();
  }
  template <class F>
  ORBIT_FN void for_each_padded(int n, F f) const { for_each(n, f); }
  template <class F>
  ORBIT_FN void once(F f) const {
    hw.sync();
    if (hw.lane() == 0) f();
    hw.sync();
  }
  template <class F>
  ORBIT_FN void for_each_in(Mask set, F f) const {
    for_each(64, [&](int i) { if (has(set, i)) f(i); });
  }
  template <class P, class F>
  ORBIT_FN void for_each_where(int n, P pred, F f) const {
    for_each(n, [&](int i) { if (pred(i)) f(i); });
  }
  template <class P>
  ORBIT_FN Mask mask(int n, P pred) const {
    Mask m = 0;
    for (int b = 0; b < n; b += 32) {
      const int i = b + hw.lane();
      m |= Mask(hw.ballot(i < n && pred(i))) << b;
    }
    return m;
  }
  template <class P>
  ORBIT_FN int first_where(int n, P pred) const {
    for (int b = 0; b < n; b += 32) {
      const int i = b + hw.lane();
      const uint32_t m = hw.ballot(i < n && pred(i));
      if (m) return b + first_bit32(m);
    }
    return -1;
  }
  template <class P>
  ORBIT_FN bool any(int n, P pred) const { return first_where(n, pred) >= 0; }
  template <class F>
  ORBIT_FN auto sum(int n, F f) const {
    decltype(f(0)) s = 0;
    for (int i = hw.lane(); i < n; i += 32) s += f(i);
    for (int d = 16; d; d >>= 1) s += hw.shfl(s, hw.lane() ^ d);
    return s;
  }
  template <class F>
  ORBIT_FN uint32_t bits_or(int n, F f) const {
    uint32_t s = 0;
    for (int i = hw.lane(); i < n; i += 32) s |= f(i);
    for (int d = 16; d; d >>= 1) s |= hw.shfl(s, hw.lane() ^ d);
    return s;
  }
  template <class F>
  ORBIT_FN uint32_t bits_or_padded(int n, F f) const { return bits_or(n, f); }
  template <class F>
  ORBIT_FN Best argmin(int n, F key) const {
    Best best{-1, 0};
    for (int i = hw.lane(); i < n; i += 32) {
      const double k = key(i);
      if (best.index < 0 || k < best.key) best = {i, k};
    }
    for (int d = 16; d; d >>= 1) {
      const Best o{hw.shfl(best.index, hw.lane() ^ d), hw.shfl(best.key, hw.lane() ^ d)};
      const bool wins = best.index < 0 || o.key < best.key || (o.key == best.key && o.index < best.index);
      if (o.index >= 0 && wins) best = o;
    }
    return best;
  }
  template <class P, class F>
  ORBIT_FN int for_each_ranked(int n, P pred, F f) const {
    int total = 0;
    hw.sync();
    for (int b = 0; b < n; b += 32) {
      const int i = b + hw.lane();
      const bool take = i < n && pred(i);
      const uint32_t m = hw.ballot(take);
      if (take) f(i, total + count_bits32(m & ((1u << hw.lane()) - 1)));
      total += count_bits32(m);
    }
    hw.sync();
    return total;
  }
  template <class P, class... T>
  ORBIT_FN int compact(int n, P keep, T*... arrays) const {
    int total = first_where(n, [&](int i) { return !keep(i); });
    if (total < 0) return n;
    hw.sync();
    for (int b = total & ~31, first = total; b < n; b += 32) {
      const int i = b + hw.lane();
      const bool take = i < n && i > first && keep(i);
      const uint32_t m = hw.ballot(take);
      const int to = total + count_bits32(m & ((1u << hw.lane()) - 1));
      (move(arrays, i, to, take), ...);
      total += count_bits32(m);
    }
    return total;
  }
  template <class R, class N, class X, class T>
  ORBIT_FN void first_match(int rows, int cols, R what, N near, X exact, T then) const {
    hw.sync();
    for (int r = hw.lane(); r < rows; r += 32) {
      const auto own = what(r);
      for (int c = 0; c < cols; ++c)
        if (near(own, c) && exact(r, c)) {
          then(r, c);
          break;
        }
    }
    hw.sync();
  }
  template <class N, class V>
  ORBIT_FN void for_each_match(int rows, int cols, N near, V visit) const {
    hw.sync();
    for (int r = hw.lane(); r < rows; r += 32) {
      auto test = near(r);
      for (int c = 0; c < cols; ++c)
        if (test(c)) visit(r, c);
    }
    hw.sync();
  }
  template <class T>
  ORBIT_FN void add(T& cell, T v) const { hw.add(cell, v); }

 private:
  template <class T>
  ORBIT_FN void move(T* a, int from, int to, bool take) const {
    T v{};
    if (take) v = a[from];
    hw.sync();  // all lanes have read before any lane writes
    if (take) a[to] = v;
    hw.sync();
  }
};

#if defined(__CUDACC__)
struct CudaWarp {
  __device__ int lane() const { return threadIdx.x & 31; }
  __device__ void sync() const { __syncwarp(); }
  __device__ uint32_t ballot(bool b) const { return __ballot_sync(0xffffffffu, b); }
  template <class T>
  __device__ T shfl(T v, int src) const { return __shfl_sync(0xffffffffu, v, src); }
  template <class T>
  __device__ void add(T& cell, T v) const { atomicAdd(&cell, v); }
};
#endif

}  // namespace orbit

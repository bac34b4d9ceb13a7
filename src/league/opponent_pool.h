// Past selves as opponents (training.opponent: pool). At fixed iterations the learner's weights are kept as a member; every iteration
// plays one member, drawn by how well the learner does against it (prioritised fictitious self-play, Vinyals et al. 2019).
// One member an iteration, since it then plays from one network at fixed addresses, in one forward for all games.
#pragma once
#include "src/policy/actor_critic.h"

namespace orbit {

// What a member is drawn by, w being the learner's win rate against it: alike, (1 - w)^p, or (w (1 - w))^p.
enum class PoolPriority { kUniform, kHard, kVariance };

struct PoolOptions {
  int64_t snapshot_every = 5;  // iterations
  int64_t cap = 5;             // members; the oldest makes room
  PoolPriority priority = PoolPriority::kUniform;
  double exponent = 1;      // p
  double smoothing = 0.9;   // how much of the old win rate stays when a new one comes
  double newest_share = 0;  // of iterations that play the newest member whatever its priority
  uint64_t seed = 0;
};

struct PoolMember {
  int64_t iteration = 0;   // when it was taken
  double win_rate = 0.5;   // of the learner against it, draws as half, smoothed; 0.5 until they have met
  std::vector<NamedTensor> weights;
};

class OpponentPool {
 public:
  // seat: a network like the learner's, frozen; it plays the member that is drawn.
  OpponentPool(PoolOptions options, std::shared_ptr<Policy> seat);

  // Takes a snapshot of the learner where one is due, and seats the member of this iteration. Called again for the same iteration
  // it changes nothing more.
  void begin_iteration(int64_t iteration, const Policy& learner);
  const std::shared_ptr<Policy>& opponent() const { return seat_; }

  // The learner's result of an iteration against its member.
  void record(int64_t iteration, double win_rate);

  // Index of the member that plays an iteration: depends on the seed, the iteration and the members alone.
  size_t drawn(int64_t iteration) const;

  // Oldest first: all that a checkpoint must hold.
  const std::vector<PoolMember>& members() const { return members_; }
  // A member with room for weights, for restore().
  PoolMember empty_member() const;
  void restore(std::vector<PoolMember> members) { members_ = std::move(members); }

 private:
  PoolOptions options_;
  std::shared_ptr<Policy> seat_;
  std::vector<PoolMember> members_;
};

}  // namespace orbit

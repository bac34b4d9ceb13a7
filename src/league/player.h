// Whoever gives orders for seats: a scripted opponent or a policy that plays greedily.
#pragma once
#include <memory>
#include <string>
#include "src/policy/actor_critic.h"
#include "src/vec_env.h"

namespace orbit {

class Player {
 public:
  virtual ~Player() = default;
  // Orders of this turn for the seats (N, R) int32, from what they see now.
  virtual void act(VecEnv& env, const at::Tensor& seats) = 0;
};

// noop, random or starter: the agents of that name in the official package. Throws UserError for any other name.
std::unique_ptr<Player> make_scripted_player(const std::string& name);

// Plays the policy greedily.
std::unique_ptr<Player> make_policy_player(std::shared_ptr<const Policy> policy);

// Room for what the seats (N, R) see, in the form that env.observe fills.
ObservationTensors make_observation(int64_t environments, int64_t seats, at::Device device);

// Seats (N, 1) of one player, alternating from environment to environment, and (N, players - 1) of all others.
struct Seating {
  at::Tensor own, others;
};
Seating alternate_seats(int64_t environments, int64_t players, at::Device device);
at::Tensor all_seats(int64_t environments, int64_t players, at::Device device);

}  // namespace orbit

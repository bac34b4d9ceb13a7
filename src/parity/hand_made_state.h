// A state made by hand, as a scenario of a trace file gives it: anything the official game can be started from, comets that
// already fly and states that play never reaches included.
#pragma once
#include "envs/orbit_wars/game_storage.h"
#include "src/parity/trace.h"

namespace orbit {

// The comet groups of the start take the first wave slots, the waves that the seed still has in store the next ones. Throws
// UserError where the state contradicts itself or does not fit the padded arrays.
GameStorage hand_made_game(const Trace& trace, int max_fleets);

}  // namespace orbit

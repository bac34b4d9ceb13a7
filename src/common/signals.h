// Ctrl-C and SIGTERM ask a run to stop after the work in hand; a second one ends the program at once.
#pragma once

namespace orbit {

void install_stop_handlers();
bool stop_requested();

}  // namespace orbit

#include "src/common/signals.h"
#include <csignal>

namespace orbit {
namespace {

volatile std::sig_atomic_t stop_flag = 0;

void request_stop(int) {
  stop_flag = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void install_stop_handlers() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit then is a failed write, reported like a full disk
  stop_flag = 0;
  struct sigaction action = {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;  // a write in progress goes on
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() { return stop_flag != 0; }

}  // namespace orbit

// Part of every program: threads that wait for work sleep instead of spinning (OMP_WAIT_POLICY=passive, unless the user has set
// it). By default libgomp spins for milliseconds at the end of each parallel loop, and whenever another process holds one of the
// cores, the others spin until it lets go: on a busy two-core machine an update of a small network took 0.4 to 1.9 s instead of
// 0.05 s. On a quiet one sleeping costs about 3 us a loop. libgomp reads the variable when it is loaded, before main and before
// any constructor of ours, so the program starts itself again with it, before any library has done its work (under 0.1 s).
#include <alloca.h>
#include <unistd.h>

#if defined(__linux__)
namespace {

// Runs before every library's constructors, sanitizers' too: no library calls but the system call.
__attribute__((no_sanitize("address", "undefined"))) void start_with_passive_threads(int, char** argv, char** environment) {
  static const char name[] = "OMP_WAIT_POLICY=";
  static char setting[] = "OMP_WAIT_POLICY=PASSIVE";
  int count = 0;
  for (; environment[count]; ++count) {
    int same = 0;
    while (name[same] && environment[count][same] == name[same]) ++same;
    if (!name[same]) return;  // set already, by the user or by us
  }
  char** extended = static_cast<char**>(alloca(sizeof(char*) * (count + 2)));
  for (int i = 0; i < count; ++i) extended[i] = environment[i];
  extended[count] = setting;
  extended[count + 1] = nullptr;
  execve("/proc/self/exe", argv, extended);  // comes back only if it failed: then as it was
}

__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**, char**) = start_with_passive_threads;

}  // namespace
#endif

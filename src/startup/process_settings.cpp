// Part of every program: two settings that libraries read before main and before any constructor of ours. The program starts itself
// again with those that the user has not set, before any library has done its work (under 0.1 s).
// - OMP_WAIT_POLICY: threads that wait for work sleep instead of spinning. By default libgomp spins for milliseconds at the end of
//   each parallel loop, and whenever another process holds one of the cores, the others spin until it lets go: on a busy two-core
//   machine an update of a small network took 0.4 to 1.9 s instead of 0.05 s. On a quiet one sleeping costs about 3 us a loop.
// - GLIBC_TUNABLES: memory in pages of 2 MiB where the kernel leaves that to the program, and kept for the next update, up to 1 GiB.
//   Every update allocates its activations anew, and one page fault a 4 KiB takes a tenth of its time.
#include <alloca.h>
#include <unistd.h>

#if defined(__linux__)
namespace {

struct Setting {
  const char* name;  // with the =
  char* whole;
};
char passive_threads[] = "OMP_WAIT_POLICY=PASSIVE";
char kept_memory[] =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=1073741824";
constexpr int kSettings = 2;
const Setting settings[kSettings] = {{"OMP_WAIT_POLICY=", passive_threads}, {"GLIBC_TUNABLES=", kept_memory}};

// Runs before every library's constructors, sanitizers' too: no library calls but the system call.
__attribute__((no_sanitize("address", "undefined"))) bool begins_with(const char* text, const char* name) {
  while (*name && *text == *name) ++text, ++name;
  return !*name;
}

__attribute__((no_sanitize("address", "undefined"))) void start_with_settings(int, char** argv, char** environment) {
  int count = 0;
  while (environment[count]) ++count;
  char** extended = static_cast<char**>(alloca(sizeof(char*) * (count + kSettings + 1)));
  int total = count;
  for (int i = 0; i < count; ++i) extended[i] = environment[i];
  for (const Setting& setting : settings) {
    bool set = false;  // by the user or by us
    for (int i = 0; i < count; ++i) set = set || begins_with(environment[i], setting.name);
    if (!set) extended[total++] = setting.whole;
  }
  if (total == count) return;
  extended[total] = nullptr;
  execve("/proc/self/exe", argv, extended);  // comes back only if it failed: then as it was
}

__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**, char**) = start_with_settings;

}  // namespace
#endif

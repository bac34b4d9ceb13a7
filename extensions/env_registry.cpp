#include "extensions/env_registry.h"
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <sstream>
#include "extensions/small_envs.h"

namespace orbit {
namespace {

struct Registered {
  EnvTable table;
  std::string path;  // of its library, "" where built in
};

// A deque, since tables are referred to while others are added.
std::deque<Registered>& registry() {
  static std::deque<Registered> all = [] {
    std::deque<Registered> list;
    for (const EnvTable& t : small_envs()) list.push_back({t, ""});
    return list;
  }();
  return all;
}

std::string real_path(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  TORCH_CHECK(resolved, path, ": no such file");
  std::string result = resolved;
  std::free(resolved);
  return result;
}

const char* kind_name(ActionKind kind) {
  return kind == ActionKind::kDiscrete ? "discrete" : kind == ActionKind::kMultiDiscrete ? "multi_discrete" : "continuous";
}

std::string number(float v) {
  if (std::isinf(v)) return v < 0 ? "-Infinity" : "Infinity";
  std::ostringstream out;
  out.precision(9);
  out << v;
  return out.str();
}

std::string numbers(const Bounds* bounds, int32_t count, float Bounds::* which) {
  std::string list;
  for (int32_t i = 0; i < count; ++i) list += (i ? ", " : "") + number(bounds[i].*which);
  return "[" + list + "]";
}

// One name a row of the state tensor: "x", or "joint_pos[3]" in an array.
std::string rows(const EnvTable& env, bool whole) {
  struct Context {
    bool whole;
    std::string list;
  } context{whole, ""};
  env.visit_fields(&context, [](void* p, const char* name, int32_t size, bool is_whole) {
    Context& c = *static_cast<Context*>(p);
    if (is_whole != c.whole) return;
    for (int32_t i = 0; i < size; ++i) {
      c.list += c.list.empty() ? "\"" : ", \"";
      c.list += name;
      if (size > 1) c.list.append("[").append(std::to_string(i)).append("]");
      c.list += "\"";
    }
  });
  return "[" + context.list + "]";
}

}  // namespace

std::vector<std::string> env_names() {
  std::vector<std::string> names;
  for (const Registered& r : registry()) names.push_back(r.table.name);
  return names;
}

const EnvTable& find_env(const std::string& name) {
  std::string known;
  for (const Registered& r : registry()) {
    if (r.table.name == name) return r.table;
    known += (known.empty() ? "" : ", ") + std::string(r.table.name);
  }
  TORCH_CHECK(false, "no environment \"", name, "\"; there is ", known, " (more with --env-library FILE)");
}

std::string load_env_library(const std::string& path) {
  const std::string file = real_path(path);
  for (const Registered& r : registry())
    if (r.path == file) return r.table.name;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(library, path, ": cannot be loaded: ", dlerror());
  using Entry = const EnvTable* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "orbit_environment_table"));
  TORCH_CHECK(entry, path, ": not an environment library: it has no orbit_environment_table");
  const EnvTable& table = *entry();
  TORCH_CHECK(table.contract == kEnvContract && table.table_size == int32_t(sizeof(EnvTable)), path, ": built for contract ",
              table.contract, " of environments, this program has ", kEnvContract, "; build the library again with its headers");
  for (const Registered& r : registry())
    TORCH_CHECK(std::string(r.table.name) != table.name, path, ": its environment \"", table.name, "\" exists already",
                r.path.empty() ? ": that one is built in" : ", from " + r.path);
  registry().push_back({table, file});
  return table.name;
}

std::string describe_env(const EnvTable& e) {
  std::ostringstream out;
  out << "{\"name\": \"" << e.name << "\", \"action_kind\": \"" << kind_name(e.action_kind) << "\", \"action_size\": " << e.action_size
      << ", \"action_low\": " << numbers(e.action_bounds, e.action_size, &Bounds::low)
      << ", \"action_high\": " << numbers(e.action_bounds, e.action_size, &Bounds::high)
      << ", \"observation_size\": " << e.observation_size
      << ", \"observation_low\": " << numbers(e.observation_bounds, e.observation_size, &Bounds::low)
      << ", \"observation_high\": " << numbers(e.observation_bounds, e.observation_size, &Bounds::high)
      << ", \"reward_low\": " << number(e.reward_bounds.low) << ", \"reward_high\": " << number(e.reward_bounds.high)
      << ", \"time_limit\": " << e.time_limit << ", \"truncates_itself\": " << (e.truncates_itself ? "true" : "false")
      << ", \"real_fields\": " << rows(e, false) << ", \"integer_fields\": " << rows(e, true) << "}";
  return out.str();
}

}  // namespace orbit

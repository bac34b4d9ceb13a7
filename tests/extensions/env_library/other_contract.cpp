// A library that says that it was built for another version of the contract, and can do nothing else.
#include "extensions/env_table.h"

extern "C" const orbit::EnvTable* orbit_environment_table() {
  static orbit::EnvTable table;
  table.contract = orbit::kEnvContract + 1;
  return &table;
}

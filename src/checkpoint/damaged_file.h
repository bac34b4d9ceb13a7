// What the Torch-free readers throw: the file is not what it claims to be. pt_reader.h adds the file's name and the remedy.
#pragma once
#include <stdexcept>

namespace orbit {

class DamagedFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orbit

// The real word that a misspelt one most likely meant.
#pragma once
#include <string>
#include <vector>

namespace orbit {

// The closest candidate by edits (insert, delete, replace, swap of neighbours), "" where none is close.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace orbit

#include "src/parity/trace_moves.h"
#include <cmath>

namespace orbit {
namespace {

int32_t cut_to_int32(double v) {
  const double cut = std::trunc(v);  // more ships than a garrison can hold are refused like any excess
  return cut >= INT32_MAX ? INT32_MAX : cut <= INT32_MIN ? INT32_MIN : int32_t(cut);
}

// Python's int(text): blanks around, a sign, digits with single underscores between them.
int32_t ships_of_text(const JsonValue& value) {
  const std::string text = value.text();
  const size_t first = text.find_first_not_of(" \t\n\r\f\v"), last = text.find_last_not_of(" \t\n\r\f\v");
  const std::string body = first == std::string::npos ? "" : text.substr(first, last - first + 1);
  const bool has_sign = !body.empty() && (body[0] == '-' || body[0] == '+');
  double ships = 0;
  bool after_digit = false;
  for (char c : body.substr(has_sign ? 1 : 0)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(c == '_' && after_digit)) value.expected("ships that int() takes");
    if (digit) ships = ships * 10 + (c - '0');
    after_digit = digit;
  }
  if (!after_digit) value.expected("ships that int() takes");
  return cut_to_int32(body[0] == '-' ? -ships : ships);
}

int32_t ships_of(const JsonValue& value) {
  const nlohmann::json& v = value.raw();
  if (v.is_number()) return cut_to_int32(v.get<double>());
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_string()) return ships_of_text(value);
  value.expected("ships that int() takes");
}

// Numeric equality: 3.0 and 3 are one planet, true is planet 1, 3.5 and "3" are none.
int32_t source_of(const nlohmann::json& v) {
  if (v.is_boolean()) return v.get<bool>();
  if (!v.is_number()) return kNoPlanet;
  const double id = v.get<double>();
  return id == std::floor(id) && std::fabs(id) < INT32_MAX ? int32_t(id) : kNoPlanet;
}

// Python's len(): items, keys, or characters; -1 where there is none.
int length_of(const nlohmann::json& v) {
  if (v.is_array() || v.is_object()) return int(v.size());
  if (!v.is_string()) return -1;
  int characters = 0;
  for (char c : v.get_ref<const std::string&>()) characters += (c & 0xC0) != 0x80;
  return characters;
}

bool ends_in_digit(const nlohmann::json& v) {
  return v.is_string() && v.get_ref<const std::string&>().back() >= '0' && v.get_ref<const std::string&>().back() <= '9';
}

}  // namespace

std::vector<TraceMove> read_moves(const JsonValue& action) {
  std::vector<TraceMove> moves;
  if (!action.raw().is_array()) return moves;
  for (size_t i = 0; i < action.size(); ++i) {
    const JsonValue item = action.at(i);
    const nlohmann::json& v = item.raw();
    if (length_of(v) != 3) {
      if (length_of(v) < 0) item.expected("a move [from_id, angle, ships]");
      continue;
    }
    if (!v.is_array()) {
      if (!ends_in_digit(v)) item.expected("a move [from_id, angle, ships]");
      continue;  // three characters of text, whose first is no planet
    }
    const nlohmann::json& angle = v[1];
    const bool number = angle.is_number() || angle.is_boolean();
    const double radians = angle.is_boolean() ? double(angle.get<bool>()) : number ? angle.get<double>() : 0;
    moves.push_back({source_of(v[0]), ships_of(item.at(2)), radians, number});
  }
  return moves;
}

}  // namespace orbit

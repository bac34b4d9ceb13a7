#include "extensions/game_batch.h"
#include <ATen/ops/zeros.h>
#include <cstddef>
#include <type_traits>
#include "extensions/checks.h"

namespace orbit {
namespace {
constexpr int64_t kLargestRow = 1 << 20;  // fleets, orders: rows are counted in 32 bits

template <class T>
constexpr at::ScalarType dtype_of() {
  return std::is_same_v<T, double> ? at::kDouble : at::kInt;
}

// Walks all tensors of a state in list order: f(name, pointer member, columns).
template <class F>
void walk_state(BatchView& v, int64_t max_fleets, F f) {
  with_arrays(v.planets, [&](auto*&... a) {
    int i = 0;
    (f(kPlanetArrayNames[i++], a, int64_t(kMaxPlanets)), ...);
  });
  with_arrays(v.fleets, [&](auto*&... a) {
    int i = 0;
    (f(kFleetArrayNames[i++], a, max_fleets), ...);
  });
  with_arrays(v.history, [&](auto*&... a) {
    int i = 0;
    ((f(kHistoryArrayNames[i], a, int64_t(kHistoryArraySizes[i])), ++i), ...);
  });
}

// shape: rows first.
template <class T>
void bind(T const*& pointer, const at::Tensor& t, int at, std::initializer_list<int64_t> shape, at::Device device) {
  check_tensor(t, kBankNames[at], dtype_of<T>(), at::IntArrayRef(shape), device);
  pointer = read_pointer<T>(t);
}
}  // namespace

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  BatchView v{};
  walk_state(v, 0, [&](const char* name, auto*&, int64_t) { names.emplace_back(name); });
  names.emplace_back("scalars");
  return names;
}
std::vector<std::string> bank_names() { return {kBankNames, kBankNames + kBankTensors}; }

std::vector<at::Tensor> make_state(int64_t count, int64_t max_fleets, at::Device device) {
  TORCH_CHECK(count > 0, "make_state: expected at least one environment, found ", count);
  TORCH_CHECK(max_fleets > 0 && max_fleets % 16 == 0, "max_fleets: expected a positive multiple of 16, found ", max_fleets);
  std::vector<at::Tensor> state;
  BatchView v{};
  walk_state(v, max_fleets, [&](const char*, auto*& p, int64_t columns) {
    using T = std::remove_reference_t<decltype(*p)>;
    state.push_back(at::zeros({count, columns}, at::TensorOptions().dtype(dtype_of<T>()).device(device)));
  });
  state.push_back(at::zeros({count, kScalarCount}, at::TensorOptions().dtype(at::kInt).device(device)));
  return state;
}

BatchView view_of(at::TensorList state, at::TensorList bank, int64_t seats, int64_t episode_steps, double ship_speed) {
  TORCH_CHECK(int64_t(state.size()) == kStateTensors, "state: expected ", kStateTensors, " tensors, found ", state.size());
  TORCH_CHECK(int64_t(bank.size()) == kBankTensors, "bank: expected ", kBankTensors, " tensors, found ", bank.size());
  TORCH_CHECK(seats == 2 || seats == 4, "seats: expected 2 or 4, found ", seats);
  TORCH_CHECK(episode_steps > 1 && episode_steps <= kLargestCount, "episode_steps: expected 2 to ", kLargestCount, ", found ", episode_steps);
  TORCH_CHECK(ship_speed >= 0 && ship_speed < 1e6, "ship_speed: expected 0 to 1e6, found ", ship_speed);
  const at::Tensor& scalars = state[kStateTensors - 1];
  const at::Tensor& fleet = state[kPlanetArrays];
  TORCH_CHECK(scalars.dim() == 2 && fleet.dim() == 2, "state: expected matrices (environments, slots)");
  const int64_t n = scalars.size(0), max_fleets = fleet.size(1);
  TORCH_CHECK(max_fleets > 0 && max_fleets % 16 == 0 && max_fleets <= kLargestRow, "fleet_id: expected a positive multiple of 16 slots, found ", max_fleets);
  const at::Device device = scalars.device();

  BatchView v{};
  v.rules = {int32_t(seats), int32_t(episode_steps), int32_t(max_fleets), ship_speed};
  v.count = n;
  int i = 0;
  walk_state(v, max_fleets, [&](const char* name, auto*& p, int64_t columns) {
    using T = std::remove_reference_t<decltype(*p)>;
    check_tensor(state[i], name, dtype_of<T>(), {n, columns}, device);
    p = write_pointer<T>(state[i++]);
  });
  check_tensor(scalars, "scalars", at::kInt, {n, kScalarCount}, device);
  v.scalars = reinterpret_cast<Scalars*>(write_pointer<int32_t>(scalars));

  TORCH_CHECK(bank[3].dim() == 2 && (bank[3].size(1) == kBoardWaves || bank[3].size(1) == kMaxWaves * kWaveMembers),
              "path_length: expected ", kBoardWaves, " or ", kMaxWaves * kWaveMembers, " path rows a board, found shape ", bank[3].sizes());
  const int64_t rows = bank[3].size(0), paths = bank[3].size(1);
  TORCH_CHECK(rows > 0, "bank: expected at least one board");
  Board& b = v.bank;
  bind(b.omega, bank[0], 0, {rows}, device);
  bind(b.wave_step, bank[1], 1, {rows, kMaxWaves}, device);
  bind(b.wave_ships, bank[2], 2, {rows, kMaxWaves}, device);
  bind(b.path_length, bank[3], 3, {rows, paths}, device);
  bind(b.path_x, bank[4], 4, {rows, paths, kMaxPath}, device);
  bind(b.path_y, bank[5], 5, {rows, paths, kMaxPath}, device);
  bind(b.planet_count, bank[6], 6, {rows}, device);
  bind(b.home, bank[7], 7, {rows}, device);
  bind(b.planet_ships, bank[8], 8, {rows, kMaxPlanets}, device);
  bind(b.planet_production, bank[9], 9, {rows, kMaxPlanets}, device);
  bind(b.planet_x, bank[10], 10, {rows, kMaxPlanets}, device);
  bind(b.planet_y, bank[11], 11, {rows, kMaxPlanets}, device);
  b.path_rows = int32_t(paths);
  v.bank_rows = rows;
  return v;
}

MovesView view_of_moves(const at::Tensor& count, const at::Tensor& from, const at::Tensor& ships, const at::Tensor& angle,
                        int64_t environments, at::Device device) {
  check_tensor(from, "move_from", at::kInt, {environments, -1, -1}, device);
  const int64_t seats = from.size(1), stride = from.size(2);
  check_tensor(count, "move_count", at::kInt, {environments, seats}, device);
  check_tensor(ships, "move_ships", at::kInt, {environments, seats, stride}, device);
  check_tensor(angle, "move_angle", at::kDouble, {environments, seats, stride}, device);
  TORCH_CHECK(seats <= kMaxSeats && stride <= kLargestRow, "move_from: expected at most ", kMaxSeats, " seats and ", kLargestRow,
              " orders, found shape ", from.sizes());
  TORCH_CHECK(seats <= kMaxSeats && stride <= kLargestRow, "move_from: expected at most ", kMaxSeats, " seats and ", kLargestRow,
              " orders, found shape ", from.sizes());
  return {write_pointer<int32_t>(count), write_pointer<int32_t>(from), write_pointer<int32_t>(ships),
          write_pointer<double>(angle), int32_t(seats), int32_t(stride)};
}

double mean_fleets(at::TensorList state) {
  constexpr int64_t kColumn = offsetof(Scalars, fleet_count) / sizeof(int32_t);
  const at::Tensor& scalars = state.back();
  return scalars.select(1, kColumn).sum().item<double>() / double(scalars.size(0));
}

}  // namespace orbit

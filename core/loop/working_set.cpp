#include "loop/working_set.hpp"

#include <algorithm>

#include "numerics/random.hpp"
#include "passes/passes.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t ratio = 4, lowest = 256;

std::size_t level_start(const std::size_t rows, const std::uint64_t level) noexcept {
  std::size_t start = 0;
  for (std::uint64_t l = 1; l < level; ++l) start += level_size(rows, l);
  return start;
}

// Fills the next level with the rows of smallest margin, in row order. Random bits decide ties: at w = 0 all margins
// are equal.
void choose_hardest(State& s, const std::size_t rows, std::vector<double>& margins, std::vector<std::uint32_t>& picks) {
  const Selection from = level_rows(s, rows);
  const std::size_t size = level_size(rows, s.level + 1);
  picks.resize(from.size());
  for (std::size_t k = 0; k < picks.size(); ++k) picks[k] = static_cast<std::uint32_t>(k);
  const auto harder = [&](const std::uint32_t a, const std::uint32_t b) {
    if (margins[a] != margins[b]) return margins[a] < margins[b];
    const std::uint64_t lot_a = random_bits(s.seed, from.row(a)), lot_b = random_bits(s.seed, from.row(b));
    return lot_a != lot_b ? lot_a < lot_b : a < b;
  };
  std::nth_element(picks.begin(), picks.begin() + static_cast<std::ptrdiff_t>(size), picks.end(), harder);
  picks.resize(size);
  std::sort(picks.begin(), picks.end());
  std::uint32_t* below = s.working_sets + level_start(rows, s.level + 1);
  for (std::size_t k = 0; k < size; ++k) below[k] = static_cast<std::uint32_t>(from.row(picks[k]));
  for (std::size_t k = 0; k < size; ++k) margins[k] = margins[picks[k]];
  ++s.level;
}

void begin_level(State& s) noexcept {
  s.check_position = s.run = s.position = 0;
  s.check_mistakes = 0.0;
}

}  // namespace

std::size_t level_size(const std::size_t rows, const std::uint64_t level) noexcept {
  std::size_t size = rows;
  for (std::uint64_t l = 0; l < level && size > 0; ++l) size /= ratio;
  return size;
}

bool is_lowest_level(const std::size_t rows, const std::uint64_t level) noexcept {
  return level_size(rows, level) <= lowest;
}

Selection level_rows(const State& s, const std::size_t rows) noexcept {
  if (s.level == 0) return {0, rows, nullptr};
  return {0, level_size(rows, s.level), s.working_sets + level_start(rows, s.level)};
}

std::size_t working_set_size(const std::size_t rows) noexcept {
  std::size_t size = 0;
  for (std::uint64_t level = 1; level_size(rows, level - 1) > lowest; ++level) size += level_size(rows, level);
  return size;
}

void check_level(State& s, const Problem& p, Workspace& work) {
  const Selection level = level_rows(s, p.rows.count);
  const auto evaluate_part = [&](const std::size_t from, const std::size_t to) {
    return evaluate(*p.functions, p.rows, p.labels, {s.v, s.offset, s.planes, s.scale, p.recipe.offset_value},
                    p.recipe.loss, level.part(from, to), p.threads, work.margins.data() + from, nullptr);
  };
  const auto done = static_cast<std::size_t>(s.check_position);
  if (work.margins.size() < level.size() || work.margins_of_visit != s.visits) {  // a resumed run: compute them again
    work.margins.resize(std::max(work.margins.size(), level.size()));
    evaluate_part(0, done);
  }
  const std::size_t end = std::min(done + rows_per_check(p.rows), level.size());
  s.check_mistakes += evaluate_part(done, end).mistakes;
  s.visits += end - done;
  s.check_position = end;
  work.margins_of_visit = s.visits;
  if (end < level.size()) return;
  if (s.check_mistakes == 0.0) {
    if (s.level == 0) s.clean = true;
    else --s.level;
  } else {
    while (!is_lowest_level(p.rows.count, s.level)) choose_hardest(s, p.rows.count, work.margins, work.picks);
    s.phase = Phase::learn;
  }
  begin_level(s);
}

}  // namespace rosenblatt

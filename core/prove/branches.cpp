#include "prove/branches.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rosenblatt {
namespace {

constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::max();

std::vector<double> transposed(const double* rows, const std::size_t count, const std::size_t dimension) {
  std::vector<double> columns(count * dimension);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < dimension; ++j) columns[j * count + i] = rows[i * dimension + j];
  return columns;
}

}  // namespace

Branches::Branches(const double* rows, const std::int32_t* weights, const std::size_t count,
                   const std::size_t dimension, const double* guide, const double error)
    : count_(count),
      columns_(transposed(rows, count, dimension)),
      weights_(weights, weights + count),
      along_(count),
      clashes_(columns_.data(), count, dimension, error),
      left_(count) {
  for (std::size_t j = 0; j < dimension; ++j)
    for (std::size_t i = 0; i < count; ++i) along_[i] += guide[j] * columns_[j * count + i];
  for (std::size_t i = 0; i < count; ++i)
    if (along_[i] <= 0.0) wrong_.push_back(static_cast<std::uint32_t>(i));
  std::sort(wrong_.begin(), wrong_.end(), [&](auto a, auto b) { return along_[a] < along_[b]; });
  open_.push_back({std::vector<Row>(count, Row::free), 0, 1.0});
}

bool Branches::advance(const std::int64_t best, std::int64_t branches) {
  for (; !done() && branches > 0; --branches) {
    Branch branch = std::move(open_.back());
    open_.pop_back();
    const Verdict verdict = judge(branch, best);
    if (verdict != Verdict::open) finished_share_ += branch.share;
    if (verdict == Verdict::clear) {
      list_given_up(branch);
      return true;
    }
    if (verdict == Verdict::open) fork(std::move(branch));
  }
  return false;
}

void Branches::list_given_up(const Branch& branch) {
  given_up_.clear();
  for (std::size_t i = 0; i < count_; ++i)
    if (branch.rows[i] == Row::given_up) given_up_.push_back(static_cast<std::uint32_t>(i));
}

// Opens a branch for each row of the fork, which gives it up and keeps those before it. The first one is searched next.
void Branches::fork(Branch branch) {
  const std::size_t first = open_.size();
  const double share = branch.share / static_cast<double>(fork_.size());
  for (const std::uint32_t row : fork_) {
    open_.push_back({branch.rows, branch.cost + weights_[row], share});
    open_.back().rows[row] = Row::given_up;
    branch.rows[row] = Row::kept;
  }
  std::reverse(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end());
}

Branches::Verdict Branches::judge(const Branch& branch, const std::int64_t best) {
  std::int64_t need = best - branch.cost;
  if (need <= 0) return Verdict::ended;
  for (std::size_t i = 0; i < count_; ++i)
    left_[i] = branch.rows[i] == Row::free ? weights_[i] : branch.rows[i] == Row::kept ? kAlways : 0;
  fork_.clear();
  for (const std::uint32_t row : wrong_)
    if (!pack_around(row, branch, need)) return Verdict::ended;
  if (fork_.empty()) return Verdict::clear;
  std::sort(fork_.begin(), fork_.end(), [&](auto a, auto b) { return along_[a] < along_[b]; });
  return Verdict::open;
}

// Packs clashes around a row while it has weight left, and remembers the shortest as the fork. Returns false where the
// branch ends: the clashes pay all that is needed, or one has kept rows alone.
bool Branches::pack_around(const std::uint32_t row, const Branch& branch, std::int64_t& need) {
  while (left_[row] > 0) {
    const std::vector<std::uint32_t>* others = clashes_.around(row, left_);
    if (!others) break;
    list_paying(row, *others, branch);
    if (paying_.empty()) return false;
    std::int64_t weight = kAlways;
    for (const std::uint32_t one : paying_) weight = std::min(weight, left_[one]);
    for (const std::uint32_t one : paying_) left_[one] -= weight;
    need -= weight;
    if (need <= 0) return false;
    if (fork_.empty() || paying_.size() < fork_.size()) fork_ = paying_;
  }
  left_[row] = 0;
  return true;
}

// The rows of a clash that are not kept: giving one of them up costs its weight.
void Branches::list_paying(const std::uint32_t row, const std::vector<std::uint32_t>& others, const Branch& branch) {
  paying_.clear();
  if (branch.rows[row] == Row::free) paying_.push_back(row);
  for (const std::uint32_t other : others)
    if (branch.rows[other] == Row::free) paying_.push_back(other);
}

}  // namespace rosenblatt

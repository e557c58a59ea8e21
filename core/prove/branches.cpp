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
      given_up_.clear();
      for (std::size_t i = 0; i < count_; ++i)
        if (branch.rows[i] == Row::given_up) given_up_.push_back(static_cast<std::uint32_t>(i));
      return true;
    }
    if (verdict == Verdict::ended) continue;
    const std::size_t first = open_.size();
    const double share = branch.share / static_cast<double>(fork_.size());
    for (const std::uint32_t row : fork_) {
      open_.push_back({branch.rows, branch.cost + weights_[row], share});
      open_.back().rows[row] = Row::given_up;
      branch.rows[row] = Row::kept;
    }
    std::reverse(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end());
  }
  return false;
}

Branches::Verdict Branches::judge(const Branch& branch, const std::int64_t best) {
  std::int64_t need = best - branch.cost;
  if (need <= 0) return Verdict::ended;
  for (std::size_t i = 0; i < count_; ++i)
    left_[i] = branch.rows[i] == Row::free ? weights_[i] : branch.rows[i] == Row::kept ? kAlways : 0;
  fork_.clear();
  std::vector<std::uint32_t> paying;
  for (const std::uint32_t row : wrong_) {
    while (left_[row] > 0) {
      const std::vector<std::uint32_t>* others = clashes_.around(row, left_);
      if (!others) break;
      paying.clear();
      if (branch.rows[row] == Row::free) paying.push_back(row);
      for (const std::uint32_t other : *others)
        if (branch.rows[other] == Row::free) paying.push_back(other);
      if (paying.empty()) return Verdict::ended;
      std::int64_t weight = kAlways;
      for (const std::uint32_t other : paying) weight = std::min(weight, left_[other]);
      for (const std::uint32_t other : paying) left_[other] -= weight;
      need -= weight;
      if (need <= 0) return Verdict::ended;
      if (fork_.empty() || paying.size() < fork_.size()) fork_ = paying;
    }
    left_[row] = 0;
  }
  if (fork_.empty()) return Verdict::clear;
  std::sort(fork_.begin(), fork_.end(), [&](auto a, auto b) { return along_[a] < along_[b]; });
  return Verdict::open;
}

}  // namespace rosenblatt

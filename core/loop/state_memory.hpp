// A State that owns its memory.
#pragma once

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "loop/state.hpp"
#include "parts/recipe.hpp"

namespace rosenblatt {

// Weights begin with a cache line: what a move wrote is then read by the next visit without waiting for the cache.
template <class T>
struct AtCacheLine {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  AtCacheLine() = default;
  template <class U>
  AtCacheLine(const AtCacheLine<U>&) noexcept {}
  T* allocate(const std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, line); }
  template <class U>
  bool operator==(const AtCacheLine<U>&) const noexcept {
    return true;
  }
};

class Storage : public State {
 public:
  Storage(const std::size_t planes_, const std::size_t columns_, const Keep keep) {
    planes = planes_;
    columns = columns_;
    v = give(size());
    offset = give(planes);
    if (keep == Keep::average) banked = give(size()), offset_sum = give(planes);
    if (keep == Keep::best) best = give(size()), best_offset = give(planes);
  }
  Storage(const Storage& other) : Storage(other.planes, other.columns, other.keeps()) {
    static_cast<Progress&>(*this) = other;
    if (other.activation) remember(other.remembered_ / other.planes);
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      std::copy(other.blocks_[k].begin(), other.blocks_[k].end(), blocks_[k].begin());
    if (activation) std::copy(other.activation, other.activation + remembered_, activation);
    members_ = other.members_;
    working_sets = members_.data();
  }
  Storage& operator=(const Storage&) = delete;

  // Keep v.x of so many rows, for v = 0 at first.
  void remember(const std::size_t rows) {
    remembered_ = planes * rows;
    activation = give(remembered_);
  }
  std::size_t remembered() const noexcept { return remembered_; }
  void forget() noexcept { activation = nullptr; }

  void reserve_working_sets(const std::size_t rows) {
    if (members_.size() < rows) members_.resize(rows);
    working_sets = members_.data();
  }
  const std::vector<std::uint32_t>& members() const noexcept { return members_; }

  // The weights a learner returns; `w` has size() and `b` planes elements (weights of the constant coordinate).
  void kept(const Keep keep, double* w, double* b) const {
    if (keep == Keep::average && averaged > 0.0) {
      for (std::size_t i = 0; i < size(); ++i) w[i] = (scale_sum * v[i] + banked[i]) / averaged;
      for (std::size_t k = 0; k < planes; ++k) b[k] = offset_sum[k] / averaged;
    } else if (keep == Keep::best && pocket_holds()) {
      std::copy(best, best + size(), w);
      std::copy(best_offset, best_offset + planes, b);
    } else {
      for (std::size_t i = 0; i < size(); ++i) w[i] = scale * v[i];
      std::copy(offset, offset + planes, b);
    }
  }

 private:
  Keep keeps() const noexcept { return banked ? Keep::average : best ? Keep::best : Keep::last; }

  // Checked weights stay until better ones come. In a stream nothing is checked, and the longest run decides.
  bool pocket_holds() const noexcept {
    const bool checked = best_mistakes < std::numeric_limits<double>::infinity();
    return checked || (bar > 0 && bar >= run);
  }

  double* give(const std::size_t count) { return blocks_.emplace_back(count, 0.0).data(); }

  using Block = std::vector<double, AtCacheLine<double>>;
  std::vector<Block> blocks_ = [] {
    std::vector<Block> blocks;
    blocks.reserve(7);               // never moved again, so the pointers stay good
    return blocks;
  }();
  std::vector<std::uint32_t> members_;
  std::size_t remembered_ = 0;
};

}  // namespace rosenblatt

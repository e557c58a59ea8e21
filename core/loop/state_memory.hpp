// A State that owns its memory.
#pragma once

#include <algorithm>
#include <new>
#include <vector>

#include "loop/kept_weights.hpp"
#include "loop/state.hpp"
#include "parts/recipe.hpp"

namespace rosenblatt {

// Weights start at a cache line: loads of the next visit then match the stores of a move, and need not wait for them.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) noexcept {}
  T* allocate(const std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, line); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const noexcept {
    return true;
  }
};

class StateMemory : public State {
 public:
  StateMemory(const std::size_t planes_, const std::size_t columns_, const Keep keep) {
    planes = planes_;
    columns = columns_;
    v = allocate(size());
    offset = allocate(planes);
    if (keep == Keep::average) average_correction = allocate(size()), offset_sum = allocate(planes);
    if (keep == Keep::best) best = allocate(size()), best_offset = allocate(planes);
  }
  StateMemory(const StateMemory& other) : StateMemory(other.planes, other.columns, other.kept_kind()) {
    static_cast<Progress&>(*this) = other;
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      std::copy(other.blocks_[k].begin(), other.blocks_[k].end(), blocks_[k].begin());
    unclipped_ = other.unclipped_;
    if (other.unclipped) unclipped = unclipped_.data();
    activations_ = other.activations_;
    if (other.activation) activation = activations_.data();
    if (other.covariance)
      keep_covariance(other.covariance_size()), covariance_ = other.covariance_, point_to_covariance();
    working_set_rows_ = other.working_set_rows_;
    working_sets = working_set_rows_.data();
    working_sets_checked_for = other.working_sets_checked_for;
  }
  StateMemory& operator=(const StateMemory&) = delete;

  // From here on an l1 penalty asks of these weights.
  void begin_l1() {
    unclipped_.assign(v, v + size());
    unclipped = unclipped_.data();
    l1_sum = 0.0;
  }

  // Stores v.x of this many rows. v is 0 at first.
  void keep_activations(const std::size_t rows) {
    activations_.assign(planes * rows, 0.0);
    activation = activations_.data();
  }
  std::size_t activation_size() const noexcept { return activations_.size(); }
  void drop_activations() noexcept { activation = nullptr; }

  // Keeps so many numbers of covariance, all 0 at first, in the place of others.
  void keep_covariance(const std::size_t numbers) {
    covariance_.assign(numbers, 0.0);
    direction_.assign(columns + 1, 0.0);
    point_to_covariance();
  }
  std::size_t covariance_size() const noexcept { return covariance_.size(); }

  void reserve_working_sets(const std::size_t rows) {
    if (working_set_rows_.size() < rows) working_set_rows_.resize(rows);
    working_sets = working_set_rows_.data();
  }
  const std::vector<std::uint32_t>& working_set_rows() const noexcept { return working_set_rows_; }
  std::size_t working_sets_checked_for = 0;  // the number of rows that all members are known to be below

  // Continues from these weights: size() numbers in `w`, and one per plane in `b`.
  void set_weights(const double* w, const double* b) {
    std::copy(w, w + size(), v);
    std::copy(b, b + planes, offset);
    squared_norm = -1.0;
    if (unclipped) begin_l1();
    drop_activations();
  }
  // Other rows follow: the pass starts again.
  void begin_new_rows() noexcept {
    position = pass_updates = pass_mistakes = 0;
    clean = overflow = false;
    drop_activations();
  }

  // Writes the weights that a learner returns: size() numbers to `w`, and one per plane to `b`.
  void copy_kept_weights(double* w, double* b) const {
    with_kept_weights(*this, [&](const auto& kept_weight, const auto& kept_offset) {
      for (std::size_t i = 0; i < size(); ++i) w[i] = kept_weight(i);
      for (std::size_t k = 0; k < planes; ++k) b[k] = kept_offset(k);
    });
  }

 private:
  Keep kept_kind() const noexcept { return average_correction ? Keep::average : best ? Keep::best : Keep::last; }

  void point_to_covariance() noexcept {
    covariance = covariance_.data();
    direction = direction_.data();
  }

  double* allocate(const std::size_t count) { return blocks_.emplace_back(count, 0.0).data(); }

  using Block = std::vector<double, CacheLineAllocator<double>>;
  std::vector<Block> blocks_ = [] {
    std::vector<Block> blocks;
    blocks.reserve(6);               // no reallocation, so the pointers stay valid
    return blocks;
  }();
  Block activations_, unclipped_, covariance_, direction_;
  std::vector<std::uint32_t> working_set_rows_;
};

}  // namespace rosenblatt

// Branch and bound over the rows to give up. Every w makes a mistake in each clash, so one row of a clash is given up.
//
// Rows a_i have integer weights; the mistakes of w are the rows with a_i . w <= 0. The first branch gives up the first
// row of a clash; the second keeps that row and gives up the next; and so on. Together they cover every w. A branch
// ends where clashes that share only kept rows, plus the rows given up, weigh at least the best known. Kept rows cost
// nothing, so they may occur in any number of clashes, and a clash of kept rows alone ends the branch at once.
//
// Only clashes that are certain in spite of rounding count. Where none is found, exact arithmetic must decide.
#pragma once

#include <cstdint>
#include <vector>

#include "prove/clashes.hpp"

namespace rosenblatt {

class Branches {
 public:
  // `rows` is row-major, count x dimension, each off by at most `error`. `guide` is a direction in which few rows are
  // negative.
  Branches(const double* rows, const std::int32_t* weights, std::size_t count, std::size_t dimension,
           const double* guide, double error);

  // Examines up to `branches` branches for rows to give up that weigh less than `best`. Returns true when it finds some
  // and sees no clash among the other rows; `given_up` then lists them.
  bool advance(std::int64_t best, std::int64_t branches);

  const std::vector<std::uint32_t>& given_up() const { return given_up_; }
  bool done() const { return open_.empty(); }
  double progress() const { return finished_share_; }  // the fraction of the tree, roughly

 private:
  enum class Row : std::uint8_t { free, given_up, kept };
  struct Branch {
    std::vector<Row> rows;
    std::int64_t cost;
    double share;  // of the tree
  };
  enum class Verdict { ended, open, clear };

  Verdict judge(const Branch& branch, std::int64_t best);
  bool pack_around(std::uint32_t row, const Branch& branch, std::int64_t& need);
  void list_paying(std::uint32_t row, const std::vector<std::uint32_t>& others, const Branch& branch);
  void list_given_up(const Branch& branch);
  void fork(Branch branch);

  std::size_t count_;
  std::vector<double> columns_;
  std::vector<std::int32_t> weights_;
  std::vector<double> along_;  // a_i . guide
  std::vector<std::uint32_t> wrong_;  // rows that the guide misclassifies: every clash contains one
  Clashes clashes_;
  std::vector<Branch> open_;
  std::vector<std::int64_t> left_;
  std::vector<std::uint32_t> paying_;  // the rows of a clash that are not kept
  std::vector<std::uint32_t> fork_, given_up_;  // fork_: those of the clash with the fewest
  double finished_share_ = 0.0;
};

}  // namespace rosenblatt

// Which rows to give up, branch by branch: every w has a mistake in each clash, so one of its rows is given up.
//
// Rows a_i weigh whole numbers; the mistakes of w are the rows with a_i . w <= 0. The first branch gives up the first
// row of a clash, the second keeps that one and gives up the next, and so on: together they have every w. A branch ends
// where clashes that share no row but kept ones weigh, with the rows given up, as much as the best known: kept rows
// cost nothing, so they may be in any number of clashes, and a clash of kept rows alone ends the branch at once.
//
// Only clashes that are certain in spite of rounding count. Where none is found, exact arithmetic must decide.
#pragma once

#include <cstdint>
#include <vector>

#include "prove/clashes.hpp"

namespace rosenblatt {

class Branches {
 public:
  // `rows` is row-major, count x dimension, each off by `error` at most; `guide` is a direction in which few rows are
  // negative.
  Branches(const double* rows, const std::int32_t* weights, std::size_t count, std::size_t dimension,
           const double* guide, double error);

  // Looks for rows to give up that weigh less than `best`, at so many branches. Where it found some and saw no clash
  // among the others, it ends, and `given_up` are these.
  bool advance(std::int64_t best, std::int64_t branches);

  const std::vector<std::int32_t>& given_up() const { return given_up_; }
  bool done() const { return open_.empty(); }
  double share() const { return share_; }  // of the tree, roughly

 private:
  enum class Row : std::uint8_t { free, given_up, kept };
  struct Branch {
    std::vector<Row> rows;
    std::int64_t cost;
    double share;
  };
  enum class Verdict { ended, open, clear };

  Verdict judge(const Branch& branch, std::int64_t best);

  std::size_t count_;
  std::vector<double> columns_;
  std::vector<std::int32_t> weights_;
  std::vector<double> along_;  // the guide
  std::vector<std::int32_t> wrong_;  // rows that the guide has wrong: each clash has one of them
  Clashes clashes_;
  std::vector<Branch> open_;
  std::vector<std::int64_t> left_;
  std::vector<std::int32_t> fork_, given_up_;  // fork_ has the rows of a clash that are not kept
  double share_ = 0.0;
};

}  // namespace rosenblatt

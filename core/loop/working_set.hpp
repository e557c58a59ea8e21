// The working-set order visits hard rows first. Level 0 is all rows; each further level holds the quarter of the level
// above with the smallest margins, down to at most 256 rows. The perceptron runs on the lowest level until every row
// there is correct. Then one streamed pass checks the level above: either its hardest quarter is chosen again, or that
// level is correct too. Every update is on a misclassified row, so Novikoff's bound holds. Correct rows near the plane
// matter: 100,000 x 500 rows of margin 0.05 took 32 full passes with the mistakes alone, and 3 with their neighbours.
#pragma once

#include "loop/advance.hpp"

namespace rosenblatt {

// The number of rows in a level. It depends on the total number of rows alone.
std::size_t level_size(std::size_t rows, std::uint64_t level) noexcept;
bool is_lowest_level(std::size_t rows, std::uint64_t level) noexcept;

// The rows of the present level.
Selection level_rows(const State& s, std::size_t rows) noexcept;

// The total size of the levels from 1 on.
std::size_t working_set_size(std::size_t rows) noexcept;

// Continues the check of the present level by a bounded number of rows.
void check_level(State& s, const Problem& p, Workspace& work);

}  // namespace rosenblatt

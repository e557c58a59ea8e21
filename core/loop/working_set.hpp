// Hard rows first. Level 0 is all rows; each level below holds the quarter of the level above whose margins are least,
// down to at most 256 rows. The perceptron runs on the lowest level until every row there is right; then the level
// above is checked in one streamed pass, and either its hardest quarter is chosen anew or the level is right too.
// Whatever is picked is misclassified, so Novikoff's bound holds. Rows that are right but near the plane matter: with
// the mistakes alone, 100,000 x 500 rows of margin 0.05 took 32 full passes; with their neighbours 3.
#pragma once

#include "loop/advance.hpp"

namespace rosenblatt {

// How many rows a level has: a function of the number of rows alone.
std::size_t level_size(std::size_t rows, std::uint64_t level) noexcept;
bool is_lowest(std::size_t rows, std::uint64_t level) noexcept;

// The rows of a level.
Selection level_rows(const State& s, std::size_t rows) noexcept;

// Room that all levels below 0 take together.
std::size_t working_set_size(std::size_t rows) noexcept;

// Go on with the check of the present level, by a bounded number of rows.
void check_level(State& s, const Problem& p, Workspace& work);

}  // namespace rosenblatt

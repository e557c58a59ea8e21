// Passes over sparse rows for several planes. The weights of a column lie side by side meanwhile, so a stored number
// finds all of its weights in a few neighbouring cache lines instead of one distant line per plane. The bits are those
// of one plane after the other. Where weights are many, the passes take some planes at a time to save memory.
#pragma once

#include <cstddef>

#include "passes/passes.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

// Whether these passes serve the rows: sparse in memory, and enough of them to pay for moving the weights.
bool go_side_by_side(const FunctionTable&, const RowsView&, std::size_t planes, std::size_t selected);

// The scores of the selected rows.
void scores_side_by_side(const FunctionTable&, const RowsView&, const Weights&, const Selection&, std::size_t threads,
                         double* out);

// out = sum of change[i] (x_i, offset_value)^T over all rows, in the parts of `gradient_parts`.
void transpose_product_side_by_side(const FunctionTable&, const RowsView&, const double* change, std::size_t planes,
                                    double offset_value, std::size_t threads, double* out);

}  // namespace rosenblatt

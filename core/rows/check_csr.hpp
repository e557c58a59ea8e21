// What the loops trust of CSR rows: starts rise from 0 to at most the number of values, and indices lie within the
// columns, each at most once a row. Checked once, at the boundary.
#pragma once

#include <cstddef>

namespace rosenblatt {

// Throws where the parts do not fit together. Returns whether some row names a column twice: rising indices cannot,
// other rows leave a mark at each column they name.
template <class Index>
bool check_csr(const Index* starts, const std::size_t rows, const Index* indices, const std::size_t stored,
               const std::size_t columns, const std::size_t threads);

}  // namespace rosenblatt

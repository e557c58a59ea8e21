// Checks of CSR rows, made once before the loops trust them: starts rise from 0 to at most the number of stored values,
// and indices lie within the columns.
#pragma once

#include <cstddef>

namespace rosenblatt {

// Throws std::invalid_argument where a check fails. Returns whether some row repeats a column index. Rows with rising
// indices cannot; other rows mark each column they name.
template <class Index>
bool check_csr(const Index* starts, const std::size_t rows, const Index* indices, const std::size_t stored,
               const std::size_t columns, const std::size_t threads);

}  // namespace rosenblatt

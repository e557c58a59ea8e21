#include "loop/predict_and_advance.hpp"

#include <algorithm>

namespace rosenblatt {

void predict_and_advance(State& s, const Problem& p, Workspace& work, const Predictions& predictions,
                         const std::uint64_t budget, const std::uint64_t last_visit) {
  const auto kept_scores = p.functions->kept_scores[index_of(predictions.rows.kind)];
  const std::size_t at_once = p.recipe.order == Order::batch ? p.rows.count : 1;
  const std::uint64_t until = std::min(last_visit, s.visits + std::max<std::uint64_t>(budget, 1));
  work.predicted_scratch.resize(predictions.rows.scratch_size());
  work.row_weights.resize(s.columns);
  Trace no_trace;
  while (s.visits < until && !s.clean && !s.overflow) {
    for (std::size_t i = s.position; i < s.position + at_once; ++i)
      kept_scores(predictions.rows, i, s, p.recipe.offset_value, work.predicted_scratch.data(), work.row_weights.data(),
                  predictions.scores + i * s.planes);
    advance(s, p, work, no_trace, 1, last_visit);
  }
}

}  // namespace rosenblatt

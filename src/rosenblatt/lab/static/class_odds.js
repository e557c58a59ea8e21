// Probabilities of the classes from their scores, as the library's predict_proba computes them. No DOM.

const logSumExp = (values) => {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0));
};

const logSigmoid = (score) => Math.min(score, 0) - Math.log1p(Math.exp(-Math.abs(score)));

// The probability that belongs to log odds.
export const sigmoid = (odds) => 1 / (1 + Math.exp(-odds));

// The log odds of every class against all others. One score is that of the second of two classes. Joint scores go
// through softmax; scores of one class against the rest are made to add up to 1.
export function classOdds(scores, isJoint) {
  if (scores.length === 1) return [-scores[0], scores[0]];
  const logs = isJoint ? scores : scores.map(logSigmoid);
  return logs.map((own, k) => own - logSumExp(logs.filter((_, other) => other !== k)));
}

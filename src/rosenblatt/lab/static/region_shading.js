// How dark a region is drawn: the same everywhere for a perceptron, the surer the darker for logistic regression, and
// lighter inside the margin for a hinge loss. No DOM.

const TONE = 0.11;
const oddsOf = (probability) => Math.log(probability / (1 - probability));
const LOGISTIC = {
  tones: [[0, 0.04], ...[0.6, 0.7, 0.8, 0.9].map((probability) => [oddsOf(probability), 0.045]), [oddsOf(0.99), 0.06]],
  line: { level: oddsOf(0.9), text: "90 %" },
};
const HINGE = { tones: [[0, 0.05], [1, 0.1]], line: { level: 1, text: "margin 1" } };
const PLAIN = { tones: [[0, TONE]], line: null };

// { tones, line }: where a class leads by a level at least, its colour is laid on with a tone: [[level, tone], ..]. The line
// is drawn where it leads by { level, text }; null if there is none.
export function regionShading(run) {
  if (run.isLogistic) return LOGISTIC;
  return run.isHinge && (run.planes === 1 || run.isJoint) ? HINGE : PLAIN;
}

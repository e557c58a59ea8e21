// The headline of the user's data: the accuracy with its interval, and the base rate beside it.
import { element } from "./form_controls.js";
import { formatInteger } from "./number_format.js";

export const formatShare = (share) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`);

const headlineFact = (title, text, name) => element("div", {}, element("dt", {}, title), element("dd", name ? { "data-figure": name } : {}, text));

// The accuracy, and a scale of shares with the interval as a bar and the base rate as a mark.
export function headline({ accuracy, interval, rows, held_out: isHeldOut, base_rate: baseRate, base_class: baseClass, trained, log_loss: logLoss, calibration_error: error }) {
  const [low, high] = interval;
  const bar = element("span", { class: "interval" });
  bar.style.left = `${100 * low}%`;
  bar.style.width = `${Math.max(100 * (high - low), 0.5)}%`;
  const dot = element("span", { class: "accuracy-dot" });
  dot.style.left = `${100 * accuracy}%`;
  const base = element("span", { class: "base-mark" });
  base.style.left = `${100 * baseRate}%`;
  const scale = element("div", { class: "share-scale", role: "img",
    "aria-label": `Accuracy ${formatShare(accuracy)}, interval ${formatShare(low)} to ${formatShare(high)}, base rate ${formatShare(baseRate)}` }, bar, base, dot);
  const what = isHeldOut ? "rows held out from training" : "rows given";
  return element("div", { class: "headline" },
    element("p", { class: "big" }, element("strong", { "data-figure": "accuracy" }, formatShare(accuracy)),
      ` right on the ${formatInteger(rows)} ${what}`),
    scale, element("div", { class: "share-ends", "aria-hidden": "true" }, element("span", {}, "0"), element("span", {}, "100 %")),
    element("dl", { class: "numbers" },
      headlineFact("95 % interval", `${(100 * low).toFixed(1)} to ${formatShare(high)}`, "interval"),
      headlineFact(`base rate (always “${baseClass}”)`, formatShare(baseRate), "base-rate"),
      ...(trained ? [headlineFact("on training rows", formatShare(trained.accuracy), "trained")] : []),
      ...(logLoss === undefined ? [] : [headlineFact("log-loss", logLoss.toFixed(3), "log-loss"), headlineFact("calibration error", formatShare(error), "calibration-error")])));
}

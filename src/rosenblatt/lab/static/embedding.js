// Parts of the page that its address hides, for a page that embeds it: ?embed leaves out the header, ?hide=recipe,share others.
// The style sheet knows what belongs to a name.

const HIDEABLE = ["header", "points", "recipe", "result", "legend", "update", "neuron", "share", "views"];

export function applyEmbedding(root, query) {
  const given = new URLSearchParams(query);
  const asked = (given.get("hide") ?? "").split(",").filter((name) => HIDEABLE.includes(name));
  const hidden = new Set([...(given.has("embed") ? ["header"] : []), ...asked]);
  if (given.has("embed")) root.dataset.embed = "";
  if (hidden.size) root.dataset.hide = [...hidden].join(" ");
}

// The dark and the light theme.

const prefersDark = () => matchMedia("(prefers-color-scheme: dark)");

const THEME_KEY = "rosenblatt-lab-theme";
const isOwnPage = () => document.body.classList.contains("rosenblatt-page");

// Switches between dark and light. On a page of its own, the whole document follows, and the choice is kept.
export function toggleTheme(root) {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark().matches;
  setTheme(root, isDark ? "light" : "dark");
  try {
    if (isOwnPage()) localStorage.setItem(THEME_KEY, root.dataset.theme);
  } catch {
    // storage is switched off: the choice lasts as long as the page
  }
}

function setTheme(root, theme) {
  root.dataset.theme = theme;
  if (isOwnPage()) document.documentElement.dataset.theme = theme;
}

// Takes over the theme that was chosen before, if any.
export function restoreTheme(root) {
  try {
    const theme = isOwnPage() ? localStorage.getItem(THEME_KEY) : null;
    if (theme === "dark" || theme === "light") setTheme(root, theme);
  } catch {
    // storage is switched off
  }
}

// Calls a function when the system's theme changes, or the one that the page was given.
export function watchTheme(root, onChange) {
  prefersDark().addEventListener("change", onChange);
  new MutationObserver(onChange).observe(root, { attributeFilter: ["data-theme"] });
}

// The theme of the notebook around the page: JupyterLab, VS Code and marimo say it on the body; null if nobody says it.
function hostTheme({ dataset, classList }) {
  if (dataset.jpThemeLight) return dataset.jpThemeLight === "true" ? "light" : "dark";
  const kind = dataset.vscodeThemeKind ?? dataset.theme ?? [...classList].join(" ");
  if (/\bdark\b|vscode-dark|high-contrast$/.test(kind)) return "dark";
  return /\blight\b|vscode-light/.test(kind) ? "light" : null;
}

// Gives the page the theme of the notebook, now and whenever it changes. Returns a function that ends it.
export function followHostTheme(root) {
  const follow = () => {
    const theme = hostTheme(document.body) ?? hostTheme(document.documentElement);
    if (theme && theme !== root.dataset.theme) root.dataset.theme = theme;
  };
  const observer = new MutationObserver(follow);
  for (const watched of [document.body, document.documentElement])
    observer.observe(watched, { attributeFilter: ["class", "data-theme", "data-jp-theme-light", "data-vscode-theme-kind"] });
  follow();
  return () => observer.disconnect();
}

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

// Calls a function when the system's theme changes.
export function watchSystemTheme(onChange) {
  prefersDark().addEventListener("change", onChange);
}

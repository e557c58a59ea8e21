// The dark and the light theme.

const prefersDark = () => matchMedia("(prefers-color-scheme: dark)");

// Switches between dark and light. On a page of its own, the whole document follows.
export function toggleTheme(root) {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark().matches;
  root.dataset.theme = isDark ? "light" : "dark";
  if (document.body.classList.contains("rosenblatt-page")) document.documentElement.dataset.theme = root.dataset.theme;
}

// Calls a function when the system's theme changes.
export function watchSystemTheme(onChange) {
  prefersDark().addEventListener("change", onChange);
}

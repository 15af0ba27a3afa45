// Light and dark theme: that of the system until the user chooses one.

const KEY = "baytree-theme";

export function startTheme(onChange) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    const chosen = stored();
    document.documentElement.dataset.theme = chosen ?? (system.matches ? "dark" : "light");
    onChange();
  };
  system.addEventListener("change", show);
  show();
  return () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    store(next);
    document.documentElement.dataset.theme = next;
    onChange();
  };
}

function stored() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "dark" || theme === "light" ? theme : null;
  } catch {
    return null; // the browser keeps nothing
  }
}

function store(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // the choice holds until the page is closed
  }
}

// The theme is the system's until the button says otherwise; nothing is stored.
const theme = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
const showTheme = () => theme.setAttribute("aria-pressed", String(dark()));
theme.hidden = false;
theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; showTheme(); });
system.addEventListener("change", showTheme);
showTheme();

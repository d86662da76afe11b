// On paper everything is open.
let opened = [];
addEventListener("beforeprint", () => { hide(); opened = all(document, "details:not([open])"); for (const d of opened) d.open = true; });
addEventListener("afterprint", () => { for (const d of opened) d.open = false; opened = []; });

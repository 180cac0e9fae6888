// Adds a copy button to each code block, and shows the day of a jump (src/routes/date-jump.ts) in the field for a date.

const day = location.hash.slice(1);
const field = document.querySelector<HTMLInputElement>("#date");
if (field && /^\d{4}-\d\d-\d\d$/.test(day)) field.value = day;

const SHOWN_MS = 2_000;

for (const code of document.querySelectorAll<HTMLElement>(".code")) {
  const text = code.querySelector("code");
  if (!text) continue;
  // A screen reader announces a status only if the element already exists. The name of the button must not change.
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy button", textContent: "Copy" });
  button.setAttribute("aria-label", `Copy: ${code.dataset.label}`);
  code.append(status, button);
  let removal: ReturnType<typeof setTimeout> | undefined;
  button.addEventListener("click", async () => {
    clearTimeout(removal);
    // Screen readers do not repeat an unchanged status, so clear it first.
    status.textContent = "";
    status.textContent = await copy(text);
    removal = setTimeout(() => status.replaceChildren(), SHOWN_MS);
  });
}

/** Copies the text, or selects it if the clipboard is not allowed. */
async function copy(text: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(text);
    return "Selected";
  }
}

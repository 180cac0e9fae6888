// Shows the copy button of each code block and handles clicks on it.

const SHOWN_MS = 2_000;

for (const code of document.querySelectorAll<HTMLElement>(".code")) {
  const button = code.querySelector<HTMLButtonElement>(".copy");
  const status = code.querySelector<HTMLElement>("[role=status]");
  const text = code.querySelector("code");
  if (!button || !status || !text) continue;
  let removal: ReturnType<typeof setTimeout> | undefined;
  button.hidden = false;
  button.addEventListener("click", async () => {
    clearTimeout(removal);
    // Screen readers do not repeat a text that does not change, so remove it first.
    status.textContent = "";
    status.textContent = await copy(text);
    removal = setTimeout(() => status.replaceChildren(), SHOWN_MS);
  });
}

/** Copies the text. If the clipboard is not allowed, selects the text, so that the person can copy it. */
async function copy(text: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(text);
    return "Selected";
  }
}

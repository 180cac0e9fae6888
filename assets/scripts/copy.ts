// Shows the copy button of each piece of code, and makes it copy.

const SHOWN_MS = 2_000;

for (const code of document.querySelectorAll<HTMLElement>(".code")) {
  const button = code.querySelector<HTMLButtonElement>(".copy");
  const text = code.querySelector("code");
  if (!button || !text) continue;
  button.hidden = false;
  button.addEventListener("click", () => copy(button, text));
}

/** Where the page may not write to the clipboard, the code is selected for the person to copy. */
async function copy(button: HTMLButtonElement, text: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text.textContent ?? "");
    say(button, "Copied");
  } catch {
    getSelection()?.selectAllChildren(text);
    say(button, "Selected");
  }
}

function say(button: HTMLButtonElement, word: string): void {
  button.textContent = word;
  button.ariaLive = "polite";
  setTimeout(() => {
    button.textContent = "Copy";
  }, SHOWN_MS);
}

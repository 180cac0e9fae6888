// Shows the copy button of each code block and handles clicks on it.

const SHOWN_MS = 2_000;

for (const code of document.querySelectorAll<HTMLElement>(".code")) {
  const button = code.querySelector<HTMLButtonElement>(".copy");
  const status = code.querySelector<HTMLElement>("[role=status]");
  const text = code.querySelector("code");
  if (!button || !status || !text) continue;
  const report = createReport(status);
  button.hidden = false;
  button.addEventListener("click", async () => {
    // Screen readers do not repeat a text that does not change, so remove it first.
    report("");
    report(await copy(text));
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

/** Creates a function that shows a word in an element for a while, or until the next word. */
function createReport(status: HTMLElement): (word: string) => void {
  let removal: ReturnType<typeof setTimeout> | undefined;
  return (word) => {
    clearTimeout(removal);
    status.textContent = word;
    removal = setTimeout(() => {
      status.textContent = "";
    }, SHOWN_MS);
  };
}

// Shows the copy button of each piece of code, and makes it copy.

const SHOWN_MS = 2_000;

for (const code of document.querySelectorAll<HTMLElement>(".code")) {
  const button = code.querySelector<HTMLButtonElement>(".copy");
  const status = code.querySelector<HTMLElement>("[role=status]");
  const text = code.querySelector("code");
  if (!button || !status || !text) continue;
  const say = speakIn(status);
  button.hidden = false;
  button.addEventListener("click", async () => {
    // What is said twice on end is not read aloud twice, unless it was gone in between.
    say("");
    say(await copy(text));
  });
}

/** Where the page may not write to the clipboard, the text is selected for the person to copy. */
async function copy(text: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(text);
    return "Selected";
  }
}

/** Says words in an element, each for a while; the time of a word ends with the next one. */
function speakIn(status: HTMLElement): (word: string) => void {
  let silence: ReturnType<typeof setTimeout> | undefined;
  return (word) => {
    clearTimeout(silence);
    status.textContent = word;
    silence = setTimeout(() => {
      status.textContent = "";
    }, SHOWN_MS);
  };
}

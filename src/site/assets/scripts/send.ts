// Sends requests without leaving the page: with the form of the API reference, whose command it keeps up to date, and with
// the buttons for methods that forms do not have. The response is shown in the section of the form or button.

import { writeHead } from "../../message-head.ts";

const form = document.querySelector<HTMLFormElement>("form.try");
form?.addEventListener("input", () => showCommand(form));
form?.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (!(submitter instanceof HTMLButtonElement) || submitter.value !== "json") return;
  event.preventDefault();
  void send(form, "GET", form.action + readQuery(form));
});

for (const button of document.querySelectorAll<HTMLElement>("[data-method]")) {
  const { method = "", url = location.href } = button.dataset;
  button.hidden = false;
  button.addEventListener("click", (event) => {
    event.preventDefault();
    void send(button, method, url);
  });
}

/** The parameters that are filled in, with their question mark. */
function readQuery(form: HTMLFormElement): string {
  const filled = Array.from(new FormData(form), ([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(filled.filter(([, value]) => value !== ""));
  return query.size === 0 ? "" : `?${query}`;
}

function showCommand(form: HTMLFormElement): void {
  const code = form.parentElement?.querySelector(".code code");
  if (code) code.textContent = `curl -si '${form.dataset.url}${readQuery(form)}'`;
}

let running = new AbortController();

/** Sends a request, and shows the response while it arrives. It ends a request that is still running. */
async function send(from: Element, method: string, url: string): Promise<void> {
  const section = from.closest("section");
  const panel = section?.querySelector<HTMLElement>(".response");
  const status = section?.querySelector("[role=status]");
  const text = panel?.querySelector("pre");
  if (!panel || !status || !text) return;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const show = (content: string, summary: string) => {
    if (signal.aborted) return;
    text.textContent = content;
    status.textContent = summary;
  };
  const beginning = Date.now();
  show("", "Waiting for the response");
  panel.hidden = false;
  let received = "";
  try {
    const response = await fetch(url, { method, signal, cache: "no-store" });
    const name = `${response.status} ${response.statusText}`.trim();
    const head = `${method} ${url}\n\n${writeHead(name, response.headers)}`;
    show(head, name);
    panel.scrollIntoView({ block: "nearest" });
    received = head;
    for await (const part of readParts(response)) {
      received += part;
      show(received, name);
    }
    show(head + indent(received.slice(head.length)), `${name}, ${Date.now() - beginning} ms`);
  } catch (error) {
    show(`${received}\n\nThe connection failed: ${error}`, "The connection failed");
  }
}

async function* readParts({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value;
}

/** JSON with a member on each line. Other text stays as it is. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

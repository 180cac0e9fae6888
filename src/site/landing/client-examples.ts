/**
 * Writes programs that read all pages, wait if the service says so, and keep each record once, although records move to later pages
 * if the collection grows meanwhile.
 * @param url the absolute URL of the collection
 */
export function writePrograms(url: string): { language: string; code: string }[] {
  const quoted = JSON.stringify(url);
  return [
    { language: "JavaScript", code: writeJavaScript(quoted) },
    { language: "Python", code: writePython(quoted) },
  ];
}

function writeJavaScript(url: string): string {
  return `import { writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

async function readPage(url) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    if (response.ok) return response.json();
    if (![429, 503].includes(response.status) || attempt === 5)
      throw new Error(\`\${url} returned \${response.status}\`);
    await wait(1000 * response.headers.get("Retry-After"));
  }
}

const records = new Map();
for (let url = ${url}; url !== null; ) {
  const { results, next } = await readPage(url);
  for (const record of results) records.set(record.id, record);
  url = next;
}
const lines = Array.from(records.values(), (record) => JSON.stringify(record) + "\\n");
await writeFile("records.jsonl", lines.join(""));`;
}

function writePython(url: string): string {
  return `import json
import time
from urllib.error import HTTPError
from urllib.request import urlopen

import pandas as pd


def read_page(url, attempts=5):
    try:
        with urlopen(url) as response:
            return json.load(response)
    except HTTPError as error:
        if error.code not in (429, 503) or attempts == 1:
            raise
        time.sleep(int(error.headers["Retry-After"]))
    return read_page(url, attempts - 1)


records = {}
url = ${url}
while url:
    page = read_page(url)
    records.update((record["id"], record) for record in page["results"])
    url = page["next"]

frame = pd.DataFrame(records.values())
frame.to_csv("records.csv", index=False)`;
}

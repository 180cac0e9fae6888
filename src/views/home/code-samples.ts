/**
 * Creates scripts that read all pages, and that wait after 429 and 503. The scripts collect records by `id`, because a record appears on
 * two pages if the collection grows while a script runs. They start again if other records were loaded: the first part of an entity-tag
 * names the snapshot.
 */
export function createCodeSamples(url: string) {
  return { Python: createPython(url), JavaScript: createJavaScript(url) };
}

function createJavaScript(url: string): string {
  return `import { writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

async function readPage(url) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    if (response.ok) {
      const [, snapshot] = /"(\\w+)-/.exec(response.headers.get("ETag")) ?? [];
      return { snapshot, ...(await response.json()) };
    }
    if (![429, 503].includes(response.status) || attempt === 5)
      throw new Error(\`\${url} returned \${response.status}\`);
    // Retry-After is a number of seconds or a date, and can be missing.
    const after = response.headers.get("Retry-After") ?? 2 ** attempt;
    await wait(isNaN(after) ? Math.max(0, Date.parse(after) - Date.now()) : 1000 * after);
  }
}

const first = ${JSON.stringify(url)};
const records = new Map();
let current;
for (let url = first; url !== null; ) {
  const { snapshot = current, count, results, next } = await readPage(url);
  current ??= snapshot;
  if (snapshot === current) {
    for (const record of results) records.set(record.id, record);
    console.log(\`\${records.size} of \${count} records\`);
    url = next;
  } else {
    // Other records were loaded in the meantime: start again.
    records.clear();
    current = undefined;
    url = first;
  }
}
const lines = Array.from(records.values(), (record) => JSON.stringify(record) + "\\n");
await writeFile("records.jsonl", lines.join(""));`;
}

function createPython(url: string): string {
  return `import re

import pandas as pd
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

first = ${JSON.stringify(url)}
retry = Retry(total=4, backoff_factor=1, status_forcelist=[429, 503])
session = requests.Session()
session.mount("${new URL(url).protocol}//", HTTPAdapter(max_retries=retry))

url, current, records = first, None, {}
while url:
    response = session.get(url)
    response.raise_for_status()
    tag = re.search(r'"(\\w+)-', response.headers.get("ETag", ""))
    snapshot = tag[1] if tag else current
    current = current or snapshot
    if snapshot == current:
        page = response.json()
        records.update((record["id"], record) for record in page["results"])
        print(len(records), "of", page["count"], "records")
        url = page["next"]
    else:  # Other records were loaded in the meantime: start again.
        url, current, records = first, None, {}

frame = pd.DataFrame(records.values())
frame.to_csv("records.csv", index=False)`;
}

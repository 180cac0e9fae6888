/**
 * Writes programs that print the timestamp of the newest record on each of the first three pages. They also work with an
 * empty collection.
 * @param url the absolute URL of the collection
 */
export function writePrograms(url: string): { language: string; code: string }[] {
  return [
    { language: "JavaScript", code: writeJavaScript(JSON.stringify(url)) },
    { language: "Python", code: writePython(JSON.stringify(url)) },
    { language: "R", code: writeR(JSON.stringify(url)) },
  ];
}

/** Quotes an argument for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function writeJavaScript(url: string): string {
  return `let url = ${url};
for (let pages = 0; url && pages < 3; pages++) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(\`\${response.status} \${url}\`);
  const { count, next, results } = await response.json();
  for (const { timestamp } of results.slice(0, 1))
    console.log(count, timestamp);
  url = next;
}`;
}

function writePython(url: string): string {
  return `import json
from urllib.request import urlopen

url = ${url}
for _ in range(3):
    with urlopen(url) as response:
        page = json.load(response)
    for record in page["results"][:1]:
        print(page["count"], record["timestamp"])
    url = page["next"]
    if url is None:
        break`;
}

function writeR(url: string): string {
  return `library(jsonlite)

url <- ${url}
for (i in 1:3) {
  page <- fromJSON(url)
  for (timestamp in head(page$results$timestamp, 1))
    cat(page$count, timestamp, "\\n")
  url <- page$\`next\`
  if (is.null(url)) break
}`;
}

import { describeValue, isLast, type PageResponse } from "./page-response.ts";
import { listOtherPageFields } from "./page-rules.ts";
import type { WalkedPage } from "./page-walk.ts";
import { listOtherRecordFields } from "./record-rules.ts";
import type { ExtraResponse } from "./rule.ts";

const VERSION_HEADERS = ["API-Version", "X-API-Version", "Deprecation", "Sunset"];

/** Collects what a service does where the specification leaves it open. This is reported, and not judged. */
export function createObservations() {
  const observed = new Map<string, Set<string>>();
  const note = (name: string, text: string) => {
    const texts = observed.get(name) ?? new Set();
    if (texts.size < 10) observed.set(name, texts.add(text));
  };
  return {
    addPage(page: WalkedPage) {
      const { number, envelope = {}, headers, records } = page;
      const fields = records.flatMap((record) => listOtherRecordFields(record.fields));
      for (const name of fields) note("Record.others", describeValue(name));
      for (const name of listOtherPageFields(envelope)) note("Page envelope.others", describeValue(name));
      if (number === 1) note("Page envelope 3", `previous on page 1 is ${describeValue(envelope.previous)}`);
      if (isLast(page)) note("Page envelope 3", `next on the last page is ${describeValue(envelope.next)}`);
      const versions = VERSION_HEADERS.filter((name) => headers.has(name));
      for (const name of versions) note("Versioning 2", `${name} is ${describeValue(headers.get(name))}`);
    },
    addResponse({ purpose, method, status, failure = `returned ${status}` }: ExtraResponse) {
      if (purpose === "page 0") note("Errors", `page=0 ${failure}`);
      if (purpose === "write") note("Errors", `${method} ${failure}`);
    },
    /** By the name in docs/conformance.md. */
    list(afterLast: PageResponse | undefined): Record<string, string> {
      if (afterLast) note("Page envelope 3", `the page after the last one returned ${afterLast.status}`);
      return Object.fromEntries([...observed].map(([name, texts]) => [name, [...texts].join(", ")]));
    },
  };
}

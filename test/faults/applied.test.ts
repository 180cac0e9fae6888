import { beforeEach, expect, test, vi } from "vitest";
import { OPTIONS } from "../../src/faults/option-table.ts";
import { PATH } from "../support/exchange.ts";
import { IN_BROWSER, parseShownResponse } from "../support/html-view.ts";
import { createInstance, createMemoryService } from "../support/memory-service.ts";
import { makeRecords } from "../support/sample-records.ts";

const TARGET = `${PATH}?page=3`;
const CONDITIONS = ["on", "until", "times", "fail", "seed"];

const { store } = await createMemoryService(makeRecords(400));
// Waits end at once.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }).setTimerTickMode("nextTimerAsync");
});

/** Sends a request to a new instance of the service, and reads the whole response. */
async function request(prefer: string, init: RequestInit = {}) {
  const { fetch } = createInstance(store, { now: () => Date.UTC(2026, 0, 1) });
  const sent = new Headers(init.headers);
  sent.set("prefer", prefer);
  const response = await fetch(TARGET, { ...init, headers: sent });
  const { status, headers } = response;
  const decoder = new TextDecoder();
  let body = "";
  let isBroken = false;
  try {
    for await (const part of response.body ?? []) body += decoder.decode(part, { stream: true });
  } catch {
    isBroken = true;
  }
  return { status, headers, body, isBroken, applied: getApplied(headers) };
}

/** Lists the options in `Preference-Applied`, without conditions, because a client does not see them. */
function getApplied(headers: Headers): string[] {
  const names = headers.get("preference-applied")?.split(", ") ?? [];
  return names.map((text) => text.replace(/=.*/, "")).filter((name) => !CONDITIONS.includes(name));
}

const unchangedBody = await (await createInstance(store).fetch(TARGET)).text();

/** Whether a response differs from a response without faults. */
function isVisible({ status, body, isBroken }: Awaited<ReturnType<typeof request>>): boolean {
  return status !== 200 || body !== unchangedBody || isBroken;
}

/** How each body fault changes a body. */
const CHANGES: Record<string, (body: string) => unknown> = {
  cut: (body) => body.slice(0, body.length / 2),
  slow: (body) => body,
  garbage: () => expect.stringMatching(/<not json>$/),
  empty: () => "",
  html: () => expect.stringMatching(/^<html>.*<\/html>$/s),
};

const { body: _, ...others } = OPTIONS;
const examples = Object.values(others)
  .flatMap(({ examples }) => Object.keys(examples))
  .flatMap((example) => ["", ...Object.keys(CHANGES)].map((fault) => [example, fault] as const));

test.each([...examples, ["none", "cut"] as const])(
  "Preference-Applied lists the visible effects of %s with the body fault %j, in JSON, in HTML, and without a body for HEAD",
  async (example, fault) => {
    // With a seed, the random choices of all requests are the same.
    const withBody = (fault: string) => [...(fault ? [`body=${fault}`] : []), example, "seed=4"].join(", ");
    const received = await request(withBody(fault));
    const { status, headers, applied } = received;
    const effects = applied.filter((name) => !["body", "delay", "none"].includes(name));
    if (applied.includes("close")) {
      expect(received).toMatchObject({ body: "", isBroken: true, applied: ["close"] });
      return;
    }
    const complete = applied.includes("body") ? await request(withBody("slow")) : received;
    if (applied.includes("body")) {
      expect([received.body, received.isBroken]).toEqual([CHANGES[fault]!(complete.body), fault === "cut"]);
      expect(headers.get("content-type")).toBe(fault === "html" ? "text/html" : "application/json");
      // Nothing between the service and the client may collect or compress the parts.
      expect(headers.has("content-encoding")).toBe(["cut", "slow"].includes(fault));
      const isHidden = ["garbage", "empty", "html"].includes(fault);
      expect(effects.length > 0).toBe(isHidden ? status !== 200 : isVisible(complete));
    } else {
      expect(effects.length > 0).toBe(isVisible(received));
      expect(fault === "" || applied.length === 0, "conditions apply to the body fault too").toBe(true);
    }

    const head = await request(withBody(fault), { method: "HEAD" });
    const withoutBody = complete.applied.filter((name) => name !== "body");
    expect(head).toMatchObject({ status, body: "", applied: withoutBody });
    if (!applied.includes("body")) expect([...head.headers]).toEqual([...headers]);

    const html = await request(withBody(fault), IN_BROWSER);
    const shown = parseShownResponse(html.body);
    expect(html).toMatchObject({ status, isBroken: false, applied });
    expect(html.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect([shown.name, ...shown.headers]).toEqual([expect.stringMatching(`^${status} `), ...headers]);
    expect(shown.body).toBe(received.body);
  },
);

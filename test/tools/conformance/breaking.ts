import { afterEach, beforeEach, expect, test } from "vitest";
import type { TrafficRecord } from "../../../src/records/record.ts";
import { evidenceOf, examineQuickly, rulesOf } from "./examination.ts";
import { type Asked, makeCollection, type Reply, type Service, startService } from "./service.ts";

export const RECORDS = makeCollection(40);

export let service: Service;
/** A service that breaks just one rule, and what the evidence says of it. */
export type Break = [fault: string, rule: string, evidence: RegExp, apply: () => void];

export const at = (index: number) => RECORDS[index] as TrafficRecord;

/** The record of page 2 that is broken: recent, of a camera that was seen before. */
export const BROKEN = 17;
export const OLD = 35;

export function change(fields: object, index = BROKEN): void {
  service.records = RECORDS.with(index, { ...at(index), ...fields });
}

export function swap(one: number, other: number): void {
  service.records = RECORDS.with(one, at(other)).with(other, at(one));
}

/** Changes an answer to GET of a page. */
export function changeReply(page: string | null, alter: (reply: Reply) => Partial<Reply>): void {
  service.reply = (reply, asked) =>
    asked.method === "GET" && asked.page === page ? { ...reply, ...alter(reply) } : reply;
}

export function changeText(page: string, from: string | RegExp, to: string): void {
  changeReply(page, ({ body }) => ({ body: String(body).replace(from, to) }));
}

export function changeHeaders(headers: Record<string, string>, isMeant = (_: Asked) => true): void {
  service.reply = (reply, asked) =>
    isMeant(asked) ? { ...reply, headers: { ...reply.headers, ...headers } } : reply;
}

export function changeLinks(alter: (link: string, name: string) => unknown): void {
  service.envelope = (envelope) => {
    const entries = Object.entries(envelope);
    return Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        typeof value === "string" && value.includes("page=") ? alter(value, name) : value,
      ]),
    );
  };
}

export function changeCount(count: (number: number, index: number) => unknown): void {
  service.envelope = (envelope, number, { index }) => ({ ...envelope, count: count(number, index) });
}

export const answerTo = (method: string, status: number) => () => {
  service.reply = (reply, asked) => (asked.method === method ? { ...reply, status, body: "" } : reply);
};

export const without = (name: string) => () => {
  const { [name]: _, ...rest } = { ...at(BROKEN) } as Record<string, unknown>;
  service.records = RECORDS.with(BROKEN, rest as unknown as TrafficRecord);
};

/** Holds a service with each of the faults against the specification: one rule fails, the one that it breaks. */
export function testFaults(faults: Break[]): void {
  beforeEach(async () => {
    service = await startService(RECORDS);
  });
  afterEach(() => service.close());

  test.each(faults)("%s, which breaks %s alone", async (_fault, rule, evidence, apply) => {
    apply();
    for (const concurrency of [1, 8]) {
      const examination = await examineQuickly(service.origin, { concurrency });
      expect(rulesOf(examination, "fail")).toEqual([rule]);
      expect(evidenceOf(examination, rule).join("\n")).toMatch(evidence);
    }
  });
}

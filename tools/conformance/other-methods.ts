import { isSamePage } from "./page-response.ts";
import { checkAllow } from "./page-rules.ts";
import type { Reply } from "./retrying-client.ts";
import type { Judge } from "./rules.ts";
import type { Walk } from "./walk.ts";

/** Sends OPTIONS, which must be allowed. */
export async function judgeOptions({ client, judge, url }: Walk): Promise<void> {
  const reply = await client.send(url, { method: "OPTIONS" });
  const isAllowed = reply.headers.has("Allow") || "Allow is missing";
  const isSuccess = reply.status >= 200 && reply.status < 300;
  judge("Options.method", `${url} OPTIONS`, isSuccess ? isAllowed : reply.outcome);
  if (isAllowed === true) judge("List records.Allow", `${url} OPTIONS`, checkAllow(reply));
}

/** Sends requests that must be refused, and judges whether they change page 1. */
export async function judgeWrites({ client, judge, url, read, first }: Walk): Promise<void> {
  let page = await read(1);
  const isStable = isSamePage(first, page);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const write = async (cars: number) => {
      const body = JSON.stringify({ camera_ref: "conformance-check", cars });
      const reply = await client.send(url, { method, headers: { "Content-Type": "application/json" }, body });
      const latest = page;
      page = await read(1);
      return { ...reply, hasEffect: !isSamePage(latest, page) };
    };
    const before = page;
    const reply = await write(1);
    // Perhaps somebody else has changed the collection. A second request, with another value, must change it again,
    // and not back, unless there is nothing left to delete.
    const changesAgain = async () => (await write(2)).hasEffect && !isSamePage(before, page);
    const isCause = reply.hasEffect && isStable && (page.count === 0 || (await changesAgain()));
    judgeWrite(judge, reply, `${url} ${method}`, isCause);
  }
}

function judgeWrite(judge: Judge, reply: Reply & { hasEffect: boolean }, where: string, isCause: boolean) {
  const { status, outcome, hasEffect } = reply;
  judge("List records.Allow", where, checkAllow(reply, "GET, OPTIONS"));
  const problem = hasEffect ? `${outcome}, but page 1 changed` : outcome;
  if (isCause || (status > 0 && status < 400)) return judge("Record 5", where, problem);
  // After 429 or 5xx, it is unknown whether the service writes.
  const isRefused = status === 501 || (status >= 400 && status < 500 && status !== 429);
  judge("Record 5", where, (isRefused && !hasEffect) || problem, "unclear");
}

import type { ScheduledController } from "@cloudflare/workers-types";
import type { Env } from "../env.ts";

/**
 * What the cron trigger calls: adds observations to the collection up to the moment at which the run was due. Off
 * unless `GROW` is `on`; then nothing is read. What it throws stands in the log, and the run counts as failed.
 * @throws if the setting is wrong or the collection cannot grow
 */
export async function grow({ scheduledTime }: ScheduledController, env: Env): Promise<void> {
  const { GROW = "off" } = env;
  if (GROW === "off") return;
  if (GROW !== "on") throw new Error(`GROW is ${JSON.stringify(GROW)}; it must be "on" or "off"`);
  // The generator is for these runs alone; an instance that only answers requests never sets it up.
  const { runGrowth } = await import("./run.ts");
  await runGrowth(env, new Date(scheduledTime));
}

import type { ScheduledController } from "@cloudflare/workers-types";
import type { Env } from "../env.ts";

/**
 * Handles the cron trigger: adds records to the collection up to the time at which the run was due. If `GROW` is not `on`,
 * it reads nothing. An error is logged, and Cloudflare reports the run as failed.
 * @throws if `GROW` is invalid or the collection cannot grow
 */
export async function grow({ scheduledTime }: ScheduledController, env: Env): Promise<void> {
  const { GROW = "off" } = env;
  if (GROW === "off") return;
  if (GROW !== "on") throw new Error(`GROW is ${JSON.stringify(GROW)}; it must be "on" or "off"`);
  // Imported here so that instances that only respond to requests do not load the generator.
  const { runGrowth } = await import("./run.ts");
  await runGrowth(env, new Date(scheduledTime));
}

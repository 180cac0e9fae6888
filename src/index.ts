import { createApp } from "./app.ts";
import { grow } from "./growth/run.ts";

/** The worker: the app responds to requests, and the cron trigger of wrangler.toml calls `scheduled`. */
export default Object.assign(createApp(), { scheduled: grow });

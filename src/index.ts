import { createApp } from "./app.ts";

/** The worker. */
export default createApp();

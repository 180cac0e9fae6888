import { recordCall } from "./account.ts";

/** A stub of npm: every script succeeds without doing anything, unless `failures` names it. */
export function run(folder: string, args: string[]): void {
  const { BASE_URL } = process.env;
  recordCall(folder, "npm", args[1] === "test:live" ? [...args, `BASE_URL=${BASE_URL}`] : args);
}

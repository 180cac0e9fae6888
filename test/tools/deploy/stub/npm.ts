import { noteCall } from "./account.ts";

/** Stands for npm: its scripts do nothing and pass, unless they are to fail. */
export function run(folder: string, args: string[]): void {
  const { BASE_URL } = process.env;
  noteCall(folder, "npm", args[1] === "test:live" ? [...args, `BASE_URL=${BASE_URL}`] : args);
}

#!/usr/bin/env node

try {
  await import("./node-version.ts");
} catch (error) {
  console.error(Object(error).message);
  process.exit(1);
}
await import("./command.ts");

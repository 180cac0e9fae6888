// Both entry points import this file first, so that an old Node fails with this message, not with an error about a missing API.

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13))
  throw new Error(`traffic-count-records needs Node 22.13 or newer, and this is Node ${node}.`);

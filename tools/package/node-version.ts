const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** What is wrong with the version of Node; undefined if nothing is. */
export const versionProblem =
  major > 22 || (major === 22 && minor >= 13)
    ? undefined
    : `traffic-count-records needs Node 22.13 or newer, and this is Node ${process.versions.node}.`;

import { describe, inject } from "vitest";
import { describeTarget } from "./suite.ts";
import { openTarget } from "./target.ts";

const target = openTarget(inject("deployed"));

describe(target.origin, () => describeTarget(() => target));

import { describe } from "vitest";
import { testInterleavings } from "./interleavings.ts";

describe("in the store d1,", () => testInterleavings("d1"));

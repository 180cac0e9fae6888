import { describe } from "vitest";
import { testInterleavings } from "./interleavings.ts";

describe("in the store kv,", () => testInterleavings("kv"));

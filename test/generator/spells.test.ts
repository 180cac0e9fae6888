import { describe, expect, test } from "vitest";
import { inSpell, type Spells } from "../../src/generator/spells.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("inSpell", () => {
  const HOUR = 3600;
  const spells: Spells = { key: 5, block: 48 * HOUR, chance: 0.5, shortest: 2 * HOUR, longest: 10 * HOUR };
  const minutes = (own: Spells) => numbers(200 * 48 * 60).map((minute) => inSpell(own, minute * 60));

  test("holds for stretches from the shortest to the longest length, in the share of blocks that chance says", () => {
    const letters = minutes(spells).map((holds) => (holds ? "X" : "."));
    const lengths = letters
      .join("")
      .split(/\.+/)
      .map((run) => run.length / 60)
      .filter((hours) => hours > 0);
    expect(lengths.length).toBeGreaterThan(75);
    expect(lengths.length).toBeLessThan(125);
    expect(Math.min(...lengths)).toBeGreaterThan(1.9);
    expect(Math.max(...lengths)).toBeLessThan(20.1);
    expect(mean(lengths)).toBeCloseTo(6, 0);
  });

  test("never holds without a chance, and always when spells fill their blocks", () => {
    expect(minutes({ ...spells, chance: 0 })).not.toContain(true);
    expect(minutes({ ...spells, chance: 1, shortest: spells.block, longest: spells.block })).not.toContain(
      false,
    );
  });
});

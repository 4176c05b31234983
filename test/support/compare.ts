/** What became of the things that a run has promised to keep. */

/** Which of `expected` is not in `found`, and what is there twice. */
export function compare(
  expected: string[],
  found: string[],
): { missing: string[]; repeated: string[] } {
  const there = new Set<string>()
  const repeated = found.filter((name) => there.has(name) || !there.add(name))
  return { missing: expected.filter((name) => !there.has(name)), repeated }
}

export const intact = { missing: [], repeated: [] }

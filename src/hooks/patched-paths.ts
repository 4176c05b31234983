/** The files that a patch in the form of `apply_patch` adds, changes, removes or moves. */

/** Lines of a file begin with a sign, so these are the patch's own; a blank before them is let pass, as the tool does. */
const header = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm

/** Each once, as they are written. */
export const patchedPaths = (patch: string): string[] => [
  ...new Set([...patch.matchAll(header)].map(([, path = '']) => path.trim()).filter(Boolean)),
]

/** The pre-commit hook: a few lines of shell that run the hook that was there before, then ask agentmail. */
import { sha256, shellWord } from '../../system/text.ts'

export const beforeEnding = '.before-agentmail'

const head = `#!/bin/sh
# agentmail guard: refuses a commit of files that another agent holds; agentmail guard uninstall takes it out.`
const pattern = /^#!\/bin\/sh\n# agentmail guard: [^\n]* \[([0-9a-f]{12})\]\n/

/**
 * @param former how the hook begins that was there before, if one was.
 * @param own what to call where agentmail is not on the path, as in a program with windows.
 */
export function hookScript(
  former: string | undefined,
  own: { node: string; binary: string },
): string {
  const body = `before="$0${beforeEnding}"
if [ -x "$before" ]; then ${callOf(former)} || exit; fi
[ "$AGENTMAIL_GUARD" != off ] || exit 0
node=${shellWord(own.node)} binary=${shellWord(own.binary)}
code=127
if command -v agentmail >/dev/null 2>&1; then agentmail guard check; code=$?; fi
case $code in 126 | 127)
  if [ -x "$node" ] && [ -f "$binary" ]; then "$node" "$binary" guard check; code=$?; fi
esac
case $code in 126 | 127) ;; *) exit $code ;; esac
[ "$AGENTMAIL_GUARD" = closed ] || exit 0
echo "agentmail guard: agentmail is not there to be asked, and AGENTMAIL_GUARD is closed" >&2
exit 1
`
  return `${head} [${sumOf(body)}]\n${body}`
}

const sumOf = (body: string): string => sha256(body).slice(0, 12)

/** A shell script is read by its shell under the name that it had: some look for themselves by it. Others are called where they are. */
function callOf(former: string | undefined): string {
  const [, shell, options = ''] =
    /^#! *((?:\/usr\/bin\/env +)?[\w/.-]*\b(?:sh|bash|dash|ksh))((?: +-[a-z]+)*) *\n/.exec(
      former ?? '',
    ) ?? []
  if (shell === undefined) return '"$before" "$@"'
  return `${shell}${options} -c '. "$0${beforeEnding}"' "$0" "$@"`
}

/** Whose a hook is: `changed` is ours with lines of somebody else. */
export function ownerOf(text: string): 'ours' | 'changed' | 'other' {
  const found = pattern.exec(text)
  if (!found) return 'other'
  return found[1] === sumOf(text.slice(found[0].length)) ? 'ours' : 'changed'
}

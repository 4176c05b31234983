/** agentmail guard: a pre-commit hook that refuses commits of files that others hold. */
import { installHook, uninstallHook } from '../../../setup/git-hook/git-hook.ts'
import { currentFolder } from '../../../system/post-office-folder.ts'
import type { Call, Command } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { atMost, runSubcommand } from '../../subcommands.ts'

const next = 'Say install, uninstall or check: agentmail guard install'

export const command: Command = {
  usage: 'install|uninstall|check',
  summary: 'Have git refuse commits of files that another agent holds.',
  details:
    "install puts a pre-commit hook where git looks for it (for all worktrees, or in core.hooksPath); a hook\nthat is there is kept beside it as pre-commit.before-agentmail and run first. uninstall restores that.\ncheck is what the hook runs: it looks at what is staged. You are AGENTMAIL_AGENT, else the name of your\ntmux pane; whoever has none is nobody, and every held file is another's. Where nobody can be asked, the\ncommit passes with a line on stderr; AGENTMAIL_GUARD=closed refuses it then, off lets everything pass.\nJSON: install: hook, former, changed, note; uninstall: removed, a list of {hook, restored}; check:\nallowed, guard, agent, unasked (why nobody was asked, or null), held, a list of {file, file_path (the\nclaim), agent_id, holder_name, role, claimed_at}.",
  exitCodes: { 0: 'done; check: the commit may be made', 1: 'refused, or failed; stderr says why' },
  maxPositionals: 2,

  run: (call) => runSubcommand('guard', { install, uninstall, check }, call, next),
}

const install = {
  async run({ positionals, json }: Call): Promise<number> {
    atMost(0, positionals)
    const installed = await installHook(currentFolder())
    if (json) printJson(installed)
    else {
      const { hook, former, changed, note } = installed
      print(changed ? `Guarded: ${hook}` : `Guarded already: ${hook}`)
      if (former !== null) print(`The hook that was there is run first: ${former}`)
      if (note !== null) print(note)
      print('A commit of files that another agent holds is refused from now on.')
      print('To commit all the same: AGENTMAIL_GUARD=off git commit')
    }
    return 0
  },
}

const uninstall = {
  async run({ positionals, json }: Call): Promise<number> {
    atMost(0, positionals)
    const removed = await uninstallHook(currentFolder())
    if (json) printJson({ removed })
    else if (removed.length === 0) print('There is no guard here')
    for (const { hook, restored } of json ? [] : removed) {
      print(restored ? `Taken out; the former hook is back: ${hook}` : `Taken out: ${hook}`)
    }
    return 0
  },
}

const check = {
  async run(call: Call): Promise<number> {
    atMost(0, call.positionals)
    const { check: run } = await import('./check.ts')
    return run(call)
  },
}

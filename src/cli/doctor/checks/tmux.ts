/** tmux: whether it is there, and whether the names of agents stay theirs. */
import { ownPane, tmuxVersion, windowsRenamedByTmux } from '../../../mailbox/tmux.ts'
import { isAt } from '../../../mailbox/whereabouts.ts'
import { type Check, type Checked, off, ok, type Patient, warn } from '../check.ts'

export const tmuxCheck: Check = {
  name: 'tmux',
  async look(patient) {
    const version = await tmuxVersion()
    if (version === undefined) return [off('tmux', 'is not installed, and is not needed')]
    if (ownPane(patient.config) === undefined)
      return [off('tmux', `${version}, and this is no pane`)]
    if (!patient.view) {
      const advice = 'Start again inside tmux, or unset TMUX and set AGENTMAIL_AGENT=<name>.'
      return [warn('tmux', 'the pane that TMUX and TMUX_PANE name is gone', advice)]
    }
    return [
      ok('tmux', `${version}, pane ${patient.view.pane.id}`),
      ...(await changingNames(patient)),
    ]
  },
}

/** Of windows whose agent is known by the name that they happen to have. */
async function changingNames({ view, office }: Patient): Promise<Checked[]> {
  if (!view || !office) return []
  const renamed = await windowsRenamedByTmux(view.pane.session)
  const known = office.recipients.list()
  const names = view.panes
    .filter(({ windowId, given }) => given === undefined && renamed.includes(windowId))
    .filter((pane) => known.some((one) => isAt(one, pane) && one.name === pane.window))
    .map(({ window }) => window)
  return [...new Set(names)].map((name) =>
    warn(
      `window ${name}`,
      'tmux gives it another name when another program runs in it, and mail for this one stays behind',
      'Give it a name there: agentmail name <name>',
    ),
  )
}

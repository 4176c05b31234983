/** The mailbox toolset, whose server lives and ends with its terminal: `agentmail mcp`. */
import { personOf } from '../../addresses/person.ts'
import type { Config } from '../../config.ts'
import { mayHaveAgents } from '../../connection/may-have-agents.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { checkHasName } from '../../mailbox/agent.ts'
import { joinOffice } from '../../mailbox/member.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownPane, serverPid, viewFrom } from '../../mailbox/tmux.ts'
import { watchTmux } from '../../mailbox/tmux-watch.ts'
import { log } from '../../system/log.ts'
import type { MailboxContext } from '../../tools/mailbox/context.ts'
import { type Greeted, greet } from '../greet.ts'

/** A client starts its servers at the same moment at which its session begins. */
const sessionMs = 3000

/** Serves until the client closes its input (0), stops reading (1), or tmux is gone (1). */
export async function serveMailbox(settings: Config): Promise<number> {
  const config = await withOwnName(settings, sessionMs)
  checkHasName(config)
  const office = PostOffice.locate(config)
  await office
  const open = async () => ({
    member: await joinOffice(config, office, { isStaying: true, isQuiet: true }),
    hasRegistered: () => mayHaveAgents(config),
    registered: async () => {
      const { RegisteredAgents } = await import('../../connection/registered.ts')
      return new RegisteredAgents(config)
    },
    person: personOf(config),
  })
  return new Promise((resolve, reject) => {
    const onLost = (what: string) => {
      log(`${what} is gone, and the mailbox server ends with it`)
      resolve(1)
    }
    const pane = ownPane(config)
    if (pane) {
      watchTmux(
        async () => [...serverPid(config), (await viewFrom(pane, { isStaying: true })).pane.pid],
        () => onLost('tmux'),
      )
    }
    process.on('SIGHUP', () => onLost('the terminal'))
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(0))

    const served = serve(open, () => onLost('tmux'))
    const registered = new Promise((next) => setImmediate(next)).then(open) // the client is greeted first
    Promise.all([served, registered]).then(([isComplete]) => resolve(isComplete ? 0 : 1), reject)
  })
}

/** Settled when the client has gone: false when it stopped reading. The tools are loaded once it knows of them. */
async function serve(open: () => Promise<MailboxContext>, onLost: () => void): Promise<boolean> {
  const { greetings } = await import('../greetings.ts')
  const load = () => import('./mailbox-tools.ts')
  let stop = () => {}
  const unread = new Promise<boolean>((resolve) => {
    stop = () => {
      log('the client reads no more, and the server ends')
      resolve(false)
    }
  })
  process.stdout.on('error', stop)
  const serveRest = async (greeted: Greeted | undefined) => {
    if (!greeted) return true
    const { serveMailboxTools } = await load()
    process.stdout.off('error', stop) // the server listens itself
    return serveMailboxTools(greeted, open, onLost)
  }
  const { mailbox } = greetings
  const greeted = mailbox
    ? greet(process.stdin, process.stdout, mailbox, () => setImmediate(load))
    : Promise.resolve({ input: process.stdin })
  return Promise.race([greeted.then(serveRest), unread])
}

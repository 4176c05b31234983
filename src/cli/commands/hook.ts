/** agentmail hook: answer a hook of a coding client. It ends with 0 whatever happens: a client may take anything else as a refusal. */
import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { Config } from '../../config.ts'
import { type AskServer, greetServer } from '../../connection/ask-server.ts'
import {
  maxHookBytes,
  nothingToSay,
  type ReadHook,
  readHook,
  refusalOfUnread,
} from '../../hooks/read-hook.ts'
import { surroundingHeaders, surroundingsOf } from '../../hooks/surroundings.ts'
import { hookLimitMs, hookTrouble, ownLimitMs } from '../../hooks/unanswered.ts'
import type { Surroundings } from '../../sessions/moment.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { ifSoon } from '../../system/time-limit.ts'
import type { Command } from '../command.ts'
import { print, printError } from '../output.ts'

/** Clients write their input at once. */
const inputMs = 2000
const usualMs = 300
/** Part of it in which whoever is on this machine answers. */
const strangerShare = 0.25
/** Part of the time after which no mail is taken out any more, so that what is reaches the client. */
const ownShare = 0.9

export const command: Command = {
  usage: '<claude|codex|gemini|qwen|copilot> [event]',
  summary: 'Answer a hook of a coding client.',
  details:
    "The client's JSON comes on stdin, the answer in its own form goes to stdout; docs/hooks.md\ntells when. The event is needed only where the input does not name it (Copilot). Whatever goes wrong,\nthe answer is {} with one line on stderr, and the client goes on; AGENTMAIL_GUARD=closed refuses edits then.",
  exitCodes: { 0: 'always' },
  maxPositionals: Number.POSITIVE_INFINITY,
  toleratesBadSettings: true,
  answerError: (error) => tellAndGoOn(hookTrouble(error)),

  async run({ positionals: [client = '', event] }) {
    process.once('uncaughtException', (error) => process.exit(tellAndGoOn(hookTrouble(error))))
    const config = new Config()
    // It says itself that it is no Claude, whose hooks it runs.
    const isCopilot = client === 'claude' && config.text('copilot') !== undefined
    const name = isCopilot ? 'copilot' : client
    const askServer = greeted(config)
    const input = await ifSoon(inputMs, readInput)
    const given = { text: '', isTooLarge: false, ...input, event }
    let hook: ReadHook
    try {
      if (!input) throw new Error('the input of the hook did not come')
      if (given.isTooLarge) throw new Error('the input of the hook is too large')
      hook = readHook(name, given.text, event)
    } catch (error) {
      const why = hookTrouble(error)
      const isClosed = surroundingsOf(config).guard === 'closed'
      return tellAndGoOn(why, isClosed ? refusalOfUnread(name, given, why) : nothingToSay)
    }
    print(await answerTo(config, hook, given, askServer))
    return 0
  },
}

function tellAndGoOn(why: string, answer = nothingToSay): number {
  print(answer)
  printError(`agentmail: ${why}`)
  return 0
}

type Told = ReadHook['told']

interface Given extends HookText {
  event: string | undefined
}

interface HookText {
  text: string
  /** Then the text is its beginning. */
  isTooLarge: boolean
}

/** A wrong address of a server is told where it is asked. */
function greeted(config: Config): AskServer {
  try {
    return greetServer(config)
  } catch (error) {
    return () => Promise.reject(error)
  }
}

async function answerTo(
  config: Config,
  hook: ReadHook,
  given: Given,
  askServer: AskServer,
): Promise<string> {
  const { told } = hook
  const limitMs = hookLimitMs(told, msOf(config))
  const around = surroundingsOf(config)
  let why = `no answer in ${limitMs} ms`
  const within = (ms: number, work: () => Promise<string | undefined>) =>
    ifSoon(ms, () =>
      work().catch((error) => {
        why = hookTrouble(error)
        throw error
      }),
    )
  let isServed = true
  const answer = await within(limitMs, async () => {
    if (told.moment.kind === 'session-start' && config.text('tmux') !== undefined) {
      const { paneAround } = await import('../../hooks/own-pane.ts')
      around.tmux = await paneAround(config)
    }
    const served = await throughServer(config, hook, given, { askServer, around, limitMs })
    isServed = served !== undefined
    return served
  })
  if (answer !== undefined) return answer
  if (!isServed) {
    const ownMs = ownLimitMs(told, msOf(config))
    const lateAt = performance.now() + ownMs * ownShare
    const own = await within(ownMs, async () => {
      const isLate = () => performance.now() >= lateAt
      const { hearOnDatabase } = await import('../../hooks/on-database.ts')
      const [answer, stranger] = await Promise.all([
        hearOnDatabase(config, told, around, isLate),
        strangerAt(config, told),
      ])
      const context = [answer.context, stranger].filter(Boolean).join('\n')
      return hook.inForm(context ? { ...answer, context } : answer)
    })
    if (own !== undefined) return own
  }
  const { closedAnswer } = await import('../../hooks/closed-answer.ts')
  const answered = around.guard === 'closed' ? hook.inForm(closedAnswer(told, why)) : nothingToSay
  const outcome = answered === nothingToSay ? 'the client goes on' : 'the edit is refused'
  await warnOnce(config, `${told.client} ${told.session}`, `${outcome} without an answer: ${why}`)
  return answered
}

/** Of a session that starts without a server, and whose hooks are requests: whoever has the port gets them. */
async function strangerAt(config: Config, told: Told): Promise<string | undefined> {
  const { client, moment } = told
  if (moment.kind !== 'session-start' || !['claude', 'qwen'].includes(client)) return undefined
  const { listenerAt } = await import('../../server/running.ts')
  const url = `http://127.0.0.1:${config.number('port')}`
  const limitMs = hookLimitMs(told, msOf(config)) * strangerShare
  const found = await ifSoon(limitMs, () => listenerAt(url))
  if (found === 'nobody') return undefined
  const who = typeof found === 'object' ? 'An AgentMail of another database' : 'Another program'
  return `${who} is at ${url}, so that edits may go unguarded and mail unheard here. Tell your user: agentmail doctor says what to do.`
}

/** Nothing where there is none. */
async function throughServer(
  config: Config,
  { told, asOurs }: ReadHook,
  { text, event }: Given,
  { askServer, around, limitMs }: { askServer: AskServer; around: Surroundings; limitMs: number },
): Promise<string | undefined> {
  const path = `/hooks/${told.client}${event ? `?event=${encodeURIComponent(event)}` : ''}`
  const project = config.withoutRepository().text('project')
  const wished = project === undefined ? config.text('project') : undefined
  const headers = surroundingHeaders({ around, project, wished })
  const reply = await askServer({ path, body: text, headers, limitMs })
  const answer = reply?.status === 200 ? jsonOf(reply.body) : undefined
  if (isRecord(answer)) {
    const ours = asOurs(answer)
    if (ours === undefined) throw new Error('the answer of the server is none of AgentMail')
    return ours
  }
  // A server that was named is the only one, and one that is in trouble is not gone.
  if (reply && (config.isSet('server') || reply.status >= 500)) {
    throw new Error(`the server answered with status ${reply.status}`)
  }
  if (config.isSet('server'))
    throw new Error('the server that AGENTMAIL_SERVER names did not answer')
  return undefined
}

async function warnOnce(config: Config, session: string, why: string): Promise<void> {
  const { isFirstWarning } = await import('../../hooks/warned-sessions.ts')
  if (isFirstWarning(config, session)) {
    printError(`agentmail: ${why}. agentmail doctor tells more.`)
  }
}

/** A wrong setting is told by other commands. */
function msOf(config: Config): number {
  try {
    return config.number('hookMs')
  } catch {
    return usualMs
  }
}

/** Nothing where nobody pipes. To the end also of too much: a client may fail that cannot write all. */
async function readInput(): Promise<HookText | undefined> {
  const input = inputStream()
  if (!input) return undefined
  const chunks: Buffer[] = []
  let size = 0
  input.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxHookBytes) chunks.push(chunk)
    else chunks.length = Math.min(chunks.length, 1)
  })
  await new Promise((resolve, reject) => input.on('end', resolve).on('error', reject))
  return { text: Buffer.concat(chunks).toString('utf8'), isTooLarge: size > maxHookBytes }
}

/** What clients give can be read without process.stdin, which takes long to make. */
function inputStream(): NodeJS.ReadableStream | undefined {
  const kind = fstatSync(0)
  if (kind.isCharacterDevice()) return undefined
  const isPiped = kind.isFIFO() || kind.isSocket()
  return isPiped ? new Socket({ fd: 0, readable: true, writable: false }) : process.stdin
}

/** The mail service: whether its settings are whole, and whether the login works; and mail that comes in by HTTP. */
import type { Config } from '../../../config.ts'
import { inboundSecretOf, readElsewhere } from '../../../email/inbound-mail.ts'
import type { ServiceState } from '../../../email/service-answer.ts'
import { serviceStates } from '../../../email/service-state.ts'
import { AgentMailError } from '../../../errors.ts'
import { redacted } from '../../../system/redact.ts'
import { type Check, type Checked, off, ok, problem, refused, warn } from '../check.ts'

/** Less than the check has, so that it is told which service it was. */
const askMs = 4_000

export const mailServiceCheck: Check = {
  name: 'mail service',
  // Longer than a service has: what speaks to it must be loaded before.
  limitMs: 12_000,
  async look({ config }) {
    try {
      return [...(await serviceStates({ config, limitMs: askMs })).map(told), ...inbound(config)]
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const { message, next = '' } = error
      return [problem('mail service', redacted(message, config.secrets()), next)]
    }
  },
}

function told({ name, state, says, note, next }: ServiceState): Checked {
  if (state === 'ok') return ok(name, note === null ? says : `${says}; ${note}`)
  if (state === 'none') return off(name, says)
  return state === 'soon' ? warn(name, says, next ?? '') : problem(name, says, next ?? '')
}

/** Where any may come in. */
function inbound(config: Config): Checked[] {
  const name = 'inbound mail'
  try {
    if (inboundSecretOf(config) === undefined) return []
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return [refused(name, error)]
  }
  const elsewhere = readElsewhere(config)
  if (!elsewhere) return [ok(name, 'comes in at /inbound of the server')]
  const advice = 'Set AGENTMAIL_MAIL to postmark, smtp or local where it is to be read.'
  const says = `lies in the folder of local mail, and ${elsewhere} is read`
  return [warn(name, says, advice)]
}

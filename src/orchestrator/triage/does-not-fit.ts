/** The error of an answer that is no decision. */
import { AgentMailError } from '../../errors.ts'

export const doesNotFit = (misfit: string) =>
  new AgentMailError(
    'bad_answer',
    `the answer does not fit: ${misfit}`,
    'The mail waits for a person to decide about it.',
  )

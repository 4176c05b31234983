/** Why a project cannot be called so, or is not there, in words. */
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'

export const noName = (name: string) =>
  new AgentMailError(
    'invalid_request',
    `"${name.slice(0, 100)}" cannot be the name of a project`,
    'Choose one of up to 100 characters without a slash.',
  )

export const fixedName = (name: string) =>
  new AgentMailError(
    'invalid_request',
    `"${name}" is the project of whoever is in no repository, and keeps its name`,
    'Rename another, or name a project with --project.',
  )

export const noProject = (name: string, others: string[]) =>
  new AgentMailError(
    'invalid_request',
    `there is no project "${name}"${didYouMean(name, others)}`,
    'agentmail projects lists them.',
  )

/** That nobody has used a project whose key was asked for, in words; nothing where somebody has. */
export async function unknownAs(
  projects: { isKnown(name: string): boolean; names(): Promise<{ name: string }[]> },
  name: string,
): Promise<string | undefined> {
  if (projects.isKnown(name)) return undefined
  return noProject(
    name,
    (await projects.names()).map((one) => one.name),
  ).message
}

export const nameTaken = (name: string) =>
  new AgentMailError(
    'invalid_request',
    `the name "${name}" leads to another project`,
    'Nothing was changed. Choose a name that agentmail projects does not list, and that none of them had before.',
  )

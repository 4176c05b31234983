/** What the servers have answered to a greeting when they were built; in the sources nothing yet. */

export interface Greeting {
  /** The answer to `initialize`, by the revision that is asked for. */
  initialize: Record<string, string>
  /** The answer to `tools/list`. */
  tools: string
}

/** By toolset. The build puts here what it has heard. */
export const greetings: Record<string, Greeting> = {}

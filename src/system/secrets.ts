/** Remembers secrets, so that they can be taken out of any text. */

const mask = '********'

export class Secrets {
  readonly #known = new Set<string>()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) {
      // What is shorter is no secret, and would take whole words with it.
      if (secret !== undefined && secret.length >= 6) {
        this.#known.add(secret)
        this.#known.add(encodeURIComponent(secret))
      }
    }
  }

  redact(text: string): string {
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length)
    return longestFirst.reduce((cleaned, secret) => cleaned.replaceAll(secret, mask), text)
  }
}

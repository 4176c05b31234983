/** The version of this package, as package.json has it. */
import packageJson from '../package.json' with { type: 'json' }

export const version = packageJson.version

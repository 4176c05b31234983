/** The binary where the hook of a coding client calls it: as main.ts, and no other command is loaded, since a client waits for it at every step. */
import { command } from './commands/hook.ts'
import { printError } from './output.ts'
import { loadSettingsFiles } from './settings-files.ts'

async function main(positionals: string[]): Promise<number> {
  try {
    const broken = await loadSettingsFiles(false)
    if (broken) printError(`warning: ${broken.text}`)
    return (await command.run({ flags: {}, positionals, json: false })) ?? 0
  } catch (error) {
    return command.answerError?.(error) ?? 0
  }
}

main(process.argv.slice(3)).then(
  (exitCode) => process.exit(exitCode),
  () => process.exit(0),
)

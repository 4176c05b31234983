/** agentmail config: what is in force, and where it came from. */
import { Config, optionsOf, type SettingInForce, settingNames } from '../../config.ts'
import { settings } from '../../settings.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '[--<flag> <value> …]',
  summary: 'Show the settings in force and where each came from.',
  details:
    'A flag wins over the environment, the environment over the default. Secrets are masked.',
  options: optionsOf(...settingNames.filter((name) => 'flag' in settings[name])),

  async run({ flags, json }) {
    const inForce = new Config(flags).inForce()
    if (json) {
      printJson({ settings: inForce })
      return 0
    }
    const rows = inForce.map((setting) => [
      setting.env,
      shown(setting),
      setting.source,
      setting.about,
    ])
    const widths = [0, 1, 2].map((column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    )
    for (const row of rows) {
      print(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      )
    }
    return 0
  },
}

const shown = ({ value, wrong }: SettingInForce): string =>
  `${value ?? '-'}${wrong ? ` (${wrong})` : ''}`

/** Settings that cannot be used, and files of settings that say something else than they seem to. */
import { Config } from '../../../config.ts'
import { destinationOf } from '../../../notices/destination.ts'
import { Spool } from '../../../notices/spool.ts'
import { settings } from '../../../settings.ts'
import { makePrivate } from '../../../system/files.ts'
import { targetOf } from '../../../system/secret-file.ts'
import { loadSettingsFiles } from '../../settings-files.ts'
import { type Check, type Checked, off, ok, problem } from '../check.ts'
import { closing } from './modes.ts'

export const settingsCheck: Check = {
  name: 'settings',
  async look() {
    await loadSettingsFiles(true) // anew, for what --fix has mended
    const config = new Config()
    const wrong = [...wrongSettings(config), ...fileTroubles(config)]
    if (wrong.length > 0) return wrong
    const files = config.files().map(({ path }) => path)
    return [ok('settings', files.length > 0 ? files.join(', ') : 'no file, and nothing is wrong')]
  },
}

const wrongSettings = (config: Config): Checked[] =>
  config.inForce().flatMap(({ env, wrong }) => {
    const advice = 'Correct it, or leave it out to use the default.'
    return wrong ? [problem(env, `is ${wrong}`, advice)] : []
  })

const fileTroubles = (config: Config): Checked[] =>
  config.files().flatMap(({ source, path, troubles }) => {
    const advice = 'Correct the file: agentmail config set and unset change one setting.'
    const target = targetOf(path)
    const isOpen = source === 'user' && makePrivate(target, { isLook: true })
    return troubles.map((trouble, index) => {
      const says = trouble.startsWith(path)
        ? trouble.slice(path.length).replace(/^[:,] /, '')
        : trouble
      return problem(path, says, advice, isOpen && index === 0 ? closing(target) : undefined)
    })
  })

export const noticesCheck: Check = {
  name: 'notices',
  look({ config }) {
    if (wrongSettings(config).some(({ check }) => /NOTIFY/.test(check))) return []
    const destination = destinationOf(config)
    if (!destination) return [off('notices', `${settings.notify.env} is not set`)]
    const { trouble } = new Spool(config, destination.url).posted()
    if (!trouble) return [ok('notices', 'are posted')]
    const advice =
      'This was said of the last notice that was posted. It goes with the next that is taken.'
    return [problem(settings.notify.env, trouble, advice)]
  },
}

/** Node, and the program that runs against the one that others would start. */
import { realpathSync } from 'node:fs'
import { onPath } from '../../../setup/found.ts'
import { setupPlaces } from '../../../setup/request.ts'
import { version } from '../../../version.ts'
import { type Check, ok, problem, warn } from '../check.ts'

/** As package.json has it. */
const oldest = [20, 19] as const

export const nodeCheck: Check = {
  name: 'Node',
  look() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const isNew = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    const says = `${process.versions.node}, ${process.execPath}`
    if (isNew) return [ok('Node', says)]
    return [problem('Node', `${says} is too old`, `Install Node ${oldest.join('.')} or newer.`)]
  },
}

export const programCheck: Check = {
  name: 'agentmail',
  async look({ config }) {
    const running = realpathSync(process.argv[1] ?? '')
    const says = `${version}, ${running}`
    const found = onPath('agentmail', (await setupPlaces(config)).env)
    if (found === undefined || realpathSync(found) === running) return [ok('agentmail', says)]
    const other = `${says}; on PATH is another, ${found}, which clients and hooks start`
    return [warn('agentmail', other, 'Install one of them, and remove the other.')]
  },
}

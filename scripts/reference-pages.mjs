/** The pages of docs/ that are written from the code: tools, settings, commands. */

const origin = '<!-- Written by npm run generate: change the code that it comes from. -->'

const code = (text) => `\`${text}\``
const page = (...parts) => `${[origin, ...parts].join('\n\n')}\n`
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cellOf).join(' | ')} |`)
    .join('\n')
/** Markdown takes `<name>` for a tag and `|` for the end of a cell, unless they are code (where `|` still ends it). */
const plain = (text) => text.replace(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part))
const cellOf = (text) => plain(text).replaceAll('|', '\\|')

/** Where each toolset is explained. */
const explainedIn = {
  coordination: 'coordinate.md',
  gmail: 'email.md',
  mailbox: 'mailbox.md',
  obsidian: 'notes.md',
  postmark: 'email.md',
}

/** @param listings `{ toolset, tools }` of each toolset */
export function toolsPage(listings) {
  return page(
    '# Tools',
    'A toolset is a server of its own, so a client pays only for the tools it uses. Each is served on STDIO by `agentmail mcp <toolset>`, coordination also over HTTP by `agentmail serve`. All of them speak every protocol revision from 2024-11-05 to 2026-07-28. A `?` marks what may be left out.',
    ...listings.flatMap(({ toolset, tools }) => [
      `## ${toolset}`,
      `${code(`agentmail mcp ${toolset}`)}: see [${explainedIn[toolset]}](${explainedIn[toolset]}).`,
      table(
        ['Tool', 'What it does', 'Input', 'Answer'],
        tools.map(({ listing }) => [
          code(listing.name),
          listing.description,
          fieldsOf(listing.inputSchema),
          fieldsOf(listing.outputSchema),
        ]),
      ),
    ]),
  )
}

function fieldsOf({ properties = {}, required = [] } = {}) {
  const names = Object.keys(properties)
  return names.map((name) => code(name) + (required.includes(name) ? '' : '?')).join(', ') || '–'
}

export function settingsPage(settings) {
  return page(
    '# Settings',
    'A flag wins over the environment variable, the variable over the default. Which flags a command takes is in [commands.md](commands.md). `agentmail config` shows what is in force and where each came from; a secret is masked there:',
    fence('sh', ['agentmail config', 'AGENTMAIL_PORT=9000 agentmail config --json']),
    table(
      ['Variable', 'Flag', 'Default', 'What for'],
      Object.values(settings).map(({ env, flag, fallback, about, secret }) => [
        code(env),
        flag ? code(`--${flag}`) : '',
        fallback === undefined ? '' : code(fallback),
        secret ? `**secret:** ${about}` : about,
      ]),
    ),
  )
}

/** @param commands `[name, command]` of each command */
export function commandsPage(commands, commonExitCodes, commonOptions) {
  return page(
    '# Commands',
    'What `agentmail <command> --help` says, on one page.',
    table(
      ['Command', 'What it does'],
      commands.map(([name, { summary }]) => [`[${code(name)}](#${name})`, summary]),
    ),
    '## Common to all',
    optionsTable(commonOptions),
    'Exit codes, where a command does not say more:',
    exitCodeTable(commonExitCodes),
    ...commands.flatMap(([name, command]) => sectionOf(name, command)),
  )
}

function sectionOf(name, { usage, summary, details, options, exitCodes }) {
  const forms = usage.split(' | ')
  const subcommands = forms.map((form) => form.match(/^\[?([a-z]+)\b/)?.[1]).filter(Boolean)
  return [
    `## ${name}`,
    plain(summary),
    fence(
      'text',
      forms.map((form) => `agentmail ${name} ${form}`.trimEnd()),
    ),
    ...(details ? [detailsOf(details, forms.length > 1 ? subcommands : [])] : []),
    ...(options ? [optionsTable(options)] : []),
    ...(exitCodes ? [exitCodeTable(exitCodes)] : []),
  ]
}

/** The help's text; what it says of a subcommand is an item of a list. */
function detailsOf(details, subcommands) {
  return details
    .split('\n\n')
    .map((paragraph) => {
      const lines = plain(paragraph).split('\n')
      const items = lines.map((line) => {
        const subcommand = subcommands.find((name) => line.startsWith(`${name} `))
        return subcommand ? `- ${code(subcommand)}${line.slice(subcommand.length)}` : line
      })
      return items.join('\n')
    })
    .join('\n\n')
}

function optionsTable(options) {
  return table(
    ['Option', 'What for'],
    Object.entries(options).map(([name, { type, short, value, about }]) => {
      const long = `--${name}${type === 'string' ? ` <${value ?? name}>` : ''}`
      return [short ? `${code(`-${short}`)}, ${code(long)}` : code(long), about]
    }),
  )
}

const exitCodeTable = (exitCodes) => table(['Exit code', 'Meaning'], Object.entries(exitCodes))

const fence = (language, lines) => `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``

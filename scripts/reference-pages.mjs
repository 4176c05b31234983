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
    'A flag wins over the environment variable, that over the file of the repository, that over your own file, and that over the default. Which flags a command takes is in [commands.md](commands.md). `agentmail config` shows what is in force and where each came from; a secret is masked there:',
    fence('sh', ['agentmail config', 'AGENTMAIL_PORT=9000 agentmail config --json']),
    '## Files',
    'Your own is `agentmail/config.toml` in your config folder (`~/.config`, or `XDG_CONFIG_HOME`), the one of a repository `.agentmail.toml` at the root of the worktree that you are in. Both are TOML, one key a setting:',
    fence('toml', ['# .agentmail.toml', 'project = "shop"', 'stale_hours = 24']),
    fence('sh', [
      'agentmail config set stale_hours 24   --repository   # comments and all else in the file stay',
      'agentmail config set send_policy approve              # in your own file, which others cannot read',
      'agentmail config unset send_policy',
      'agentmail config get port',
      'agentmail config path',
    ]),
    '- Anybody may have written the file of a repository, so it sets only what has **repository** below: names, times and limits. What else is in it, and what is wrong, is ignored with a warning on stderr. It must be a regular file of your own, no link, of at most 64 KB.\n- What all repositories share takes nothing from the file of one: a server, and what removes stale agents from the database. `project` is a wish there: where another repository has that project, this one gets `<name>-2`. To have two in one project, name it in `AGENTMAIL_PROJECT` or `--project`.\n- What is wrong in your own file ends a command with exit code 2 and the line and column; hooks, `agentmail config` and `agentmail doctor` go on without it. A key that is no setting is ignored with a warning.\n- A secret, or an address with a password, may stand in your own file only while nobody else can read it (`chmod 600`).\n- A list is `["a.example", "b.example"]` or one text with commas. An empty text counts as absent.',
    '## All settings',
    table(
      ['Variable', 'Key in a file', 'Flag', 'Default', 'What for'],
      Object.entries(settings).map(([name, { env, flag, fallback, about, secret, file }]) => [
        code(env),
        keyIn(name, file),
        flag ? code(`--${flag}`) : '',
        fallback === undefined ? '' : code(fallback),
        secret ? `**secret:** ${about}` : about,
      ]),
    ),
  )
}

function keyIn(name, file) {
  if (file === 'none') return ''
  const key = code(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  return file === 'repository' ? `${key} (repository)` : key
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

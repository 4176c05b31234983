/** The settings of hooks, a part of the table of all. */
import type { SettingShape } from './settings.ts'

export const hookSettings = {
  guard: {
    env: 'AGENTMAIL_GUARD',
    about:
      'edits and commits of what others hold are refused: on, off, closed (also where nobody can be asked)',
    fallback: 'on',
    words: ['on', 'off', 'closed'],
  },
  autoClaim: {
    env: 'AGENTMAIL_AUTO_CLAIM',
    about: 'how long a file is claimed that an agent with hooks edits: turn, session, off',
    fallback: 'turn',
    words: ['turn', 'session', 'off'],
  },
  hookMs: { env: 'AGENTMAIL_HOOK_MS', about: 'how long a hook may keep its client', fallback: 300 },
  claudeSession: {
    env: 'CLAUDE_CODE_SESSION_ID',
    about: 'set by Claude Code: your session',
    file: 'none',
  },
  codexSession: {
    env: 'CODEX_SESSION_ID',
    about: 'set by Codex for the commands that it runs: your session',
    file: 'none',
  },
  copilotSession: {
    env: 'COPILOT_AGENT_SESSION_ID',
    about: 'set by Copilot CLI for the commands that it runs: your session',
    file: 'none',
  },
  claudeAttended: {
    env: 'CLAUDE_CODE_SESSION_ATTENDED',
    about:
      'set to 1 by Claude Code where somebody sits before it: elsewhere it waits for what wakes it',
    file: 'none',
  },
  claudePid: { env: 'CLAUDE_PID', about: 'set by Claude Code: its process', file: 'none' },
  claudeProject: {
    env: 'CLAUDE_PROJECT_DIR',
    about: 'set by Claude Code: the folder in which its session began',
    file: 'none',
  },
  copilot: {
    env: 'COPILOT_CLI',
    about: "set by Copilot CLI, which also runs Claude's hooks",
    file: 'none',
  },
} as const satisfies Record<string, SettingShape>

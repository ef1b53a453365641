import type { Agent } from './agent.ts'

/** Its body holds an id of the run in `metadata` alone, which counts in no key. */
export const claudeCode: Agent = {
  name: 'claude-code',
  headers: { 'user-agent': /^claude-cli\// },
  sessions: ['x-claude-code-session-id'],
}

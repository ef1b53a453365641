import type { Agent } from './agent.ts'

/** Two runs differ in these headers alone. */
export const opencode: Agent = {
  name: 'opencode',
  headers: { 'user-agent': /^opencode\// },
  sessions: ['x-session-id', 'x-session-affinity', 'session-id'],
}

import type { Agent } from './agent.ts'

/** A line with the time stands first or last in what its user wrote, or alone. */
export const kilo: Agent = {
  name: 'kilo',
  headers: { 'user-agent': /^Kilo-Code\// },
  sessions: ['x-session-id', 'x-session-affinity'],
  wrappers: [
    { in: 'user', changes: /(?<=^Message time: \d{4}-\d\d-\d\d)T[\d:.]+(?:Z|[+-]\d\d:\d\d)(?=\n|$)/ },
    { in: 'user', changes: /(?<=\nMessage time: \d{4}-\d\d-\d\d)T[\d:.]+(?:Z|[+-]\d\d:\d\d)(?=\s*$)/ },
  ],
}

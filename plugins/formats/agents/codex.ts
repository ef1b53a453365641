import type { Agent } from './agent.ts'

/** The output of a command comes under a head of the agent's own, with an id and the time that the command took. */
export const codex: Agent = {
  name: 'codex',
  headers: { 'user-agent': /^codex_/ },
  sessions: ['session-id', 'thread-id'],
  wrappers: [
    { in: 'tool', changes: /(?<=^Chunk ID: )[0-9a-f]{4,16}(?=\nWall time: \d+(?:\.\d+)? seconds\n)/ },
    {
      in: 'tool',
      changes: /(?<=^(?:(?:Chunk ID: [0-9a-f]*|Exit code: -?\d+)\n)?Wall time: )\d+(?:\.\d+)?(?= seconds\n)/,
    },
  ],
}

import type { Agent } from './agent.ts'

/** It calls through the vendors' own libraries, so that only its further header gives it away. */
export const copilot: Agent = {
  name: 'copilot',
  headers: { 'user-agent': /^(?:OpenAI|Anthropic)\/JS /, 'x-initiator': /^(?:user|agent)$/ },
  wrappers: [
    {
      in: 'user',
      changes: /(?<=^<current_datetime>\d{4}-\d\d-\d\d)T[\d:.]+(?:Z|[+-]\d\d:\d\d)(?=<\/current_datetime>)/,
    },
    {
      in: 'system',
      changes: /(?<=^[^\n]*\bSession folder: [^\n]*\/session-state\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/m,
    },
  ],
}

import type { ProviderCall } from 'deflector'

/** Who asks, as the vendor wants to know it. */
export interface Editor {
  readonly editor_version: string
  readonly plugin_version: string
}

/** What the vendor wants of an editor with every request, that for a token included. */
export const editorHeaders = ({ editor_version: editor, plugin_version: plugin }: Editor): Record<string, string> => ({
  'editor-version': editor,
  'editor-plugin-version': `copilot-chat/${plugin}`,
  'user-agent': `GitHubCopilotChat/${plugin}`,
  'x-github-api-version': '2025-04-01',
})

/** What it wants to know of one call: who began the turn, which decides what is charged, and whether there is something to see. */
export function turnHeaders({ prompt, headers, requestId }: ProviderCall): Record<string, string> {
  const { turns } = prompt.chat
  const last = turns.at(-1)
  const goesOn = last?.role === 'assistant' || last?.blocks.some(({ type }) => type === 'tool_result') === true
  const said = headers['x-initiator']
  const blocks = turns.flatMap(turn => turn.blocks)
  const images = blocks.some(
    block =>
      block.type === 'image' || (block.type === 'tool_result' && block.blocks.some(({ type }) => type === 'image')),
  )
  return {
    'x-request-id': requestId,
    'x-initiator': said === 'user' || said === 'agent' ? said : goesOn ? 'agent' : 'user',
    ...(images && { 'copilot-vision-request': 'true' }),
  }
}

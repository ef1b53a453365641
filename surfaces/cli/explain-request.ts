import { story, storyLines } from '../../ui-tui/story.ts'
import { type AdminOptions, askAdmin } from './ask-admin.ts'

export interface ExplainOptions extends AdminOptions {
  readonly json?: boolean
}

/** Columns. What reads a pipe or a file gets all of it. */
const WIDEST = process.stdout.isTTY ? 120 : Number.POSITIVE_INFINITY

/** `deflector explain <request-id>`: the way of one request of the running gateway. */
export async function explainRequest(id: string, options: ExplainOptions): Promise<void> {
  const path = `/api/admin/requests/${encodeURIComponent(id)}`
  const found = await askAdmin(options, story, { path, surface: 'requests' })
  const lines = options.json ? [JSON.stringify(found, null, 2)] : storyLines(found, WIDEST)
  process.stdout.write(`${lines.join('\n')}\n`)
}

import type { StoryAnswer } from './story-answer.ts'

/** Headers that shape an answer, and hold no secret. */
const TAKEN = [
  'content-type',
  'accept',
  'anthropic-version',
  'anthropic-beta',
  'openai-beta',
  'cache-control',
  'x-service-tags',
]

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The request as a command, with `$KEY` for the key. `undefined` where not all of it is kept. */
export function curlOf(story: StoryAnswer, origin: string): string | undefined {
  const { method, path, request_headers: headers = {}, request_body: body, request_body_truncated: cut } = story
  if (!method || !path || cut) return undefined
  const shown = TAKEN.flatMap(name => {
    const value = headers[name]
    return value !== undefined && !value.includes('[redacted]') ? [`-H ${quoted(`${name}: ${value}`)}`] : []
  })
  const lines = [
    `curl -X ${method} ${quoted(origin + path)}`,
    '-H "X-API-Key: $KEY"',
    ...shown,
    ...(body ? [`--data-raw ${quoted(body)}`] : []),
  ]
  return lines.join(' \\\n  ')
}

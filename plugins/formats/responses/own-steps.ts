import { isObject, type JsonObject, type MediaBlock, type OwnStep, type TextBlock } from 'deflector'
import { codeInWords, outputInWords } from '../ran-code.ts'
import { isReference } from './item-ids.ts'

/** What a step came to; nothing where the words beside it say so. */
type Teller = (item: JsonObject) => readonly (TextBlock | MediaBlock)[]

const nothing: Teller = () => []

/** Calls that the vendor runs itself, and tells in words what they came to. */
const RUN: Readonly<Record<string, Teller>> = {
  web_search_call: nothing,
  file_search_call: nothing,
  code_interpreter_call: ({ code, outputs }) => [
    ...(isText(code) ? [codeInWords(code, 'python')] : []),
    ...listOf(outputs).flatMap(({ logs }) => (isText(logs) ? [outputInWords(logs)] : [])),
  ],
  mcp_call: ({ name, server_label: server, arguments: args, output, error }) => {
    const came = isText(output) ? output : isText(error) ? `Error: ${error}` : undefined
    if (came === undefined) return []
    return [
      { type: 'text', text: `I called ${String(name)} of ${String(server)} with ${String(args)}. It gave:\n${came}` },
    ]
  },
}

/** Other steps of the vendor's own. */
const STEPS: Readonly<Record<string, Teller>> = {
  ...RUN,
  mcp_list_tools: nothing,
  image_generation_call: ({ result, output_format: format }) =>
    isText(result)
      ? [{ type: 'image', source: { data: result, mediaType: `image/${isText(format) ? format : 'png'}` } }]
      : [],
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

export const isRunByVendor = (type: string): boolean => Object.hasOwn(RUN, type)

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed'])

/** What a step leaves behind once it is over. */
const LEFT = ['output', 'error', 'outputs', 'results', 'result', 'tools'] as const

const isOver = (item: JsonObject): boolean =>
  ENDED.has(item.status) || LEFT.some(name => item[name] !== undefined && item[name] !== null)

const APPROVAL = 'mcp_approval_response'

/** The steps among a conversation's items that are over: for the rest, their vendor is needed. */
export class OwnSteps {
  /** Behind the first the user has not spoken again; behind the second are approvals alone, which the vendor has to act on. */
  readonly #lastAsked: number
  readonly #lastBeforeApprovals: number
  readonly #approvals: ReadonlySet<unknown>

  constructor(items: readonly JsonObject[]) {
    this.#lastAsked = items.findLastIndex(({ role }) => role === 'user')
    this.#lastBeforeApprovals = items.findLastIndex(({ type }) => type !== APPROVAL)
    this.#approvals = new Set(items.flatMap(item => (item.type === APPROVAL ? [item.approval_request_id] : [])))
  }

  /** The step that an item tells of; `undefined` for one that is pending, or is no step. */
  at(index: number, item: JsonObject): OwnStep | undefined {
    const type = String(item.type)
    const field = `input.${type}`
    if (type === APPROVAL) return index < this.#lastBeforeApprovals ? { field, told: [] } : undefined
    if (type === 'mcp_approval_request') return this.#approvals.has(item.id) ? { field, told: [] } : undefined
    const tell = Object.hasOwn(STEPS, type) ? STEPS[type] : undefined
    if (!tell) return undefined
    // Of a search nothing is missed, whatever became of it.
    if (type === 'web_search_call') return { field, told: [] }
    if (isReference(item) || !(isOver(item) || index < this.#lastAsked)) return undefined
    return { field, told: tell(item) }
  }
}

import {
  type BodyEdit,
  type Chat,
  type ChatFormat,
  type Dialect,
  inTurns,
  isObject,
  type JsonObject,
  type Prompt,
  type Steps,
  stepped,
  type VendorState,
  withoutParts,
  withoutPartsInTurns,
} from 'deflector'

/** Bytes above which a body is written in turns. */
const LARGE_BODY = 128 << 10

/** A prompt with other values in some places. All other bytes stay as they are, and nothing is parsed again. */
export class RewrittenPrompt implements Prompt {
  readonly dialect: Dialect
  readonly operation: string
  readonly endpoint: string | undefined
  readonly bytes: Uint8Array
  readonly body: JsonObject
  readonly model: string | undefined
  readonly stream: boolean
  readonly session: string | number | undefined
  readonly state: VendorState | undefined
  readonly query: string
  readonly #original: Prompt
  #chat: Chat | undefined

  private constructor(prompt: Prompt, bytes: Uint8Array, body: JsonObject) {
    const { dialect, operation, endpoint, model, stream, session, state, query } = prompt
    this.#original = prompt
    this.dialect = dialect
    this.operation = operation
    this.endpoint = endpoint
    this.model = model
    this.stream = stream
    this.session = session
    this.state = state
    this.query = query
    this.bytes = bytes
    this.body = body
  }

  static async of(prompt: Prompt, edits: readonly BodyEdit[]): Promise<RewrittenPrompt> {
    const replaced = edits.map(({ path, value, text = JSON.stringify(value) }) => ({ path, text }))
    const { bytes, body } = prompt
    const isLarge = bytes.length > LARGE_BODY
    const written = isLarge ? await withoutPartsInTurns(bytes, [], replaced) : withoutParts(bytes, [], replaced)
    return new RewrittenPrompt(prompt, written, await inTurns(withValues, body, edits))
  }

  get format(): ChatFormat {
    return this.#original.format
  }

  get chat(): Chat {
    this.#chat ??= this.format.decodePrompt(this.body, this.bytes)
    return this.#chat
  }

  async chatInTurns(): Promise<Chat> {
    this.#chat ??= await inTurns(this.format.decodePrompt, this.body, this.bytes)
    return this.#chat
  }
}

/** Values by where they go, below a place. */
interface Branch {
  value?: unknown
  isEnd?: true
  readonly below: Map<string | number, Branch>
}

/** An object with other values in some places; what does not lie on the way to one is shared. */
const withValues = stepped(function* (object: JsonObject, edits: readonly BodyEdit[]): Steps<JsonObject> {
  const root: Branch = { below: new Map() }
  for (const { path, place = path, value } of edits) {
    let branch = root
    for (const step of place) {
      const next = branch.below.get(step) ?? { below: new Map() }
      branch.below.set(step, next)
      branch = next
    }
    branch.value = value
    branch.isEnd = true
  }
  const changed = yield* withBranch(object, root)
  return isObject(changed) ? changed : object
})

function* withBranch(old: unknown, { value, isEnd, below }: Branch): Steps<unknown> {
  if (isEnd) return value
  if (Array.isArray(old)) {
    const items = [...old]
    for (const [at, branch] of below) {
      if (typeof at === 'number' && at in items) items[at] = yield* withBranch(items[at], branch)
      yield
    }
    return items
  }
  if (!isObject(old)) return old
  // An assignment would not make a member that is called `__proto__`.
  const members = new Map(Object.entries(old))
  for (const [name, branch] of below) members.set(String(name), yield* withBranch(members.get(String(name)), branch))
  return Object.fromEntries(members)
}

import { endOfValue, JSON_BYTES, malformed, skipSpace } from './scan.ts'
import { type Cut, eachMember, withCuts, withCutsInTurns } from './splice.ts'
import { inTurns, type Steps, stepped } from './steps.ts'

const { OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA } = JSON_BYTES

const ITEMS_A_STEP = 32

type Path = readonly (string | number)[]

/** Other text in place of a value. */
interface Replaced {
  readonly path: Path
  readonly text: string
}

/** What stands below a place; `cut` and `text` are of the place itself. */
interface Branch {
  cut: boolean
  /** What stands there instead. */
  text?: string
  readonly below: Map<string | number, Branch>
}

/** A member or an item, where it stands in the text. */
interface Part {
  /** Where the one before it ended. */
  readonly before: number
  readonly start: number
  readonly value: number
  readonly to: number
  /** Where the next one begins, or `to` after the last one. */
  readonly next: number
  readonly branch: Branch | undefined
}

/**
 * Takes members of objects and items of lists out of a JSON text, puts other text in place of values, and leaves every
 * other byte as it is. A path names the way: members by name, items by place. One that leads nowhere changes nothing.
 */
export function withoutParts(
  bytes: Uint8Array,
  paths: readonly Path[],
  replaced: readonly Replaced[] = [],
): Uint8Array {
  const { json, cuts } = cutsFor(bytes, paths, replaced)
  return cuts.length === 0 ? bytes : withCuts(json, cuts)
}

/** The same for a large text, in turns of the event loop. */
export async function withoutPartsInTurns(
  bytes: Uint8Array,
  paths: readonly Path[],
  replaced: readonly Replaced[] = [],
): Promise<Uint8Array> {
  const { json, cuts } = await inTurns(cutsFor, bytes, paths, replaced)
  return cuts.length === 0 ? bytes : withCutsInTurns(json, cuts)
}

interface Cuts {
  readonly json: Buffer
  readonly cuts: readonly Cut[]
}

const cutsFor = stepped(function* (
  bytes: Uint8Array,
  paths: readonly Path[],
  replaced: readonly Replaced[],
): Steps<Cuts> {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cuts: Cut[] = []
  if (paths.length === 0 && replaced.length === 0) return { json, cuts }
  const tree: Branch = { cut: false, below: new Map() }
  for (const path of paths) branchAt(tree, path).cut = true
  for (const { path, text } of replaced) branchAt(tree, path).text = text
  yield* collect(json, skipSpace(json, 0), tree, cuts)
  return { json, cuts }
})

function branchAt(root: Branch, path: Path): Branch {
  let branch = root
  for (const step of path) {
    const next = branch.below.get(step) ?? { cut: false, below: new Map() }
    branch.below.set(step, next)
    branch = next
  }
  return branch
}

/** The cuts inside the value at `at`, in order. A part goes with the comma before it, one at the head with that after it. */
function* collect(json: Buffer, at: number, { below }: Branch, cuts: Cut[]): Steps<void> {
  if (below.size === 0) return
  const parts =
    json[at] === OPEN_BRACKET
      ? yield* itemsOf(json, at, below)
      : json[at] === OPEN_BRACE
        ? membersOf(json, at, below)
        : []
  let keptBefore = false
  for (const { before, start, value, to, next, branch } of parts) {
    if (branch?.cut) cuts.push(keptBefore ? { from: before, to, text: '' } : { from: start, to: next, text: '' })
    else {
      keptBefore = true
      if (branch?.text !== undefined) cuts.push({ from: value, to, text: branch.text })
      else if (branch) {
        yield* collect(json, value, branch, cuts)
        yield
      }
    }
  }
}

function membersOf(json: Buffer, at: number, below: Branch['below']): Part[] {
  const parts: Part[] = []
  eachMember(json, ({ key, ...place }) => parts.push({ ...place, branch: below.get(key) }), at)
  return parts
}

function* itemsOf(json: Buffer, open: number, below: Branch['below']): Steps<Part[]> {
  const parts: Part[] = []
  let before = open + 1
  let at = skipSpace(json, before)
  for (let place = 0; json[at] !== CLOSE_BRACKET; place++) {
    if (place % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield
    const to = endOfValue(json, at)
    let next = skipSpace(json, to)
    const isLast = json[next] !== COMMA
    if (!isLast) next = skipSpace(json, next + 1)
    else if (json[next] !== CLOSE_BRACKET) throw malformed()
    parts.push({ before, start: at, value: at, to, next: isLast ? to : next, branch: below.get(place) })
    before = to
    at = next
  }
  return parts
}

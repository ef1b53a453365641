import { hash } from 'node:crypto'
import type { AnswerBlock, AnswerEvent, Block, Chat, Host } from 'deflector'
import type { IsOthers } from 'deflector/formats/signature'
import QuickLRU from 'quick-lru'

/** Proofs that are remembered; about 100 bytes each, and up to twice as many. */
const REMEMBERED = 10_000

/** Several vendors gave the same text, so it proves nothing, and each may have it back. */
const ANYONE = ''

/**
 * Which vendor made which proof of reasoning. Nothing in a proof says it, and two vendors may speak one dialect. Only what
 * passed through here since the start is known; of all other proofs the dialect is the best that is known.
 */
export class Signers {
  /** Hosts of vendors, by a hash of the proof. */
  readonly #hosts = new QuickLRU<string, string>({ maxSize: REMEMBERED })
  readonly #known = new Set<string>()

  /** The ones that all HTTP providers share and that a reload keeps. */
  static of = (host: Host): Signers => host.keep('providers:signers', () => new Signers())

  /** What a vendor said in its own dialect. */
  learn(vendor: string, said: readonly (AnswerBlock | AnswerEvent)[]): void {
    for (const one of said) {
      const proof = proofOf(one)
      if (proof === undefined) continue
      const key = keyOf(proof)
      const before = this.#hosts.get(key) ?? vendor
      this.#hosts.set(key, before === vendor ? vendor : ANYONE)
      this.#known.add(vendor)
    }
  }

  /** Tells proofs that another vendor made; `undefined` while no other has made any. */
  besides(vendor: string): IsOthers | undefined {
    if (this.#known.size === 0 || (this.#known.size === 1 && this.#known.has(vendor))) return undefined
    return proof => {
      const maker = this.#hosts.get(keyOf(proof)) ?? ANYONE
      return maker !== ANYONE && maker !== vendor
    }
  }
}

const keyOf = (proof: string): string => hash('sha256', proof, 'base64')

function proofOf(one: AnswerBlock | AnswerEvent | Block): string | undefined {
  switch (one.type) {
    case 'reasoning':
      return 'redacted' in one || 'signature' in one ? one.redacted || one.signature || undefined : undefined
    case 'signature':
      return one.redacted || one.signature || undefined
    case 'tool_call':
      return one.signature || undefined
    default:
      return undefined
  }
}

/** The conversation with the proofs of other vendors marked, so that they are not written for a vendor of `dialect`. */
export function withOrigins(chat: Chat, dialect: string, isOthers: IsOthers): Chat {
  const marked = (block: Block): Block => {
    if (block.type !== 'reasoning' && block.type !== 'tool_call') return block
    const proof = proofOf(block)
    if ((block.origin ?? dialect) !== dialect || proof === undefined || !isOthers(proof)) return block
    return { ...block, origin: `another vendor of ${dialect}` }
  }
  return { ...chat, turns: chat.turns.map(turn => ({ ...turn, blocks: turn.blocks.map(marked) })) }
}

import { Buffer } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What went to one place: `stderr`, `file usage.jsonl`, `reply GET /debug/providers`. */
export type Place = string

/** Collects what a gateway says and writes, by place, and finds texts in it that belong elsewhere. */
export class Places {
  readonly #texts = new Map<Place, string>()

  /** Bytes become one character each, so that ASCII is found among them. */
  add(place: Place, said: string | Uint8Array): void {
    const text = typeof said === 'string' ? said : Buffer.from(said).toString('latin1')
    this.#texts.set(place, `${this.#texts.get(place) ?? ''}${text}\n`)
  }

  /** Every file under a folder, by its path there. */
  addFolder(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name)
        this.add(`file ${path.slice(folder.length + 1)}`, readFileSync(path))
      }
  }

  get names(): readonly Place[] {
    return [...this.#texts.keys()]
  }

  text(place: Place): string {
    return this.#texts.get(place) ?? ''
  }

  /** Where it stands, plain in any case, or in base64. */
  holding(canary: string): readonly Place[] {
    const forms = base64Of(canary)
    const plain = canary.toLowerCase()
    return this.names.filter(name => {
      const text = this.text(name)
      return text.toLowerCase().includes(plain) || forms.some(form => text.includes(form))
    })
  }
}

/** The part that is the same whatever stands around it, for each place of three at which it may begin. */
function base64Of(canary: string): readonly string[] {
  return [0, 1, 2].map(before => {
    const encoded = Buffer.from(`${' '.repeat(before)}${canary}`).toString('base64')
    return encoded.slice(before === 0 ? 0 : 4, -4)
  })
}

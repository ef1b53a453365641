/** Finds the end of a JSON object that comes in pieces, looking at every character once. */
export class ObjectEnd {
  #depth = 0
  #begun = false
  #inString = false
  #escaped = false

  /** Has the object's last bracket come? Never true for anything but an object. */
  get reached(): boolean {
    return this.#begun && this.#depth === 0
  }

  push(piece: string): void {
    for (const char of piece) {
      if (this.#escaped) this.#escaped = false
      else if (this.#inString) {
        if (char === '\\') this.#escaped = true
        else if (char === '"') this.#inString = false
      } else if (char === '"') this.#inString = true
      else if (char === '{' || char === '[') {
        this.#depth++
        if (char === '{') this.#begun = true
      } else if (char === '}' || char === ']') this.#depth--
    }
  }
}

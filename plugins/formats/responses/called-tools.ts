import type { Prompt, Tool, ToolCallBlock } from 'deflector'

type Head = Pick<ToolCallBlock, 'name' | 'kind' | 'namespace'>

/** How a client declared its tools, to tell it of a call in the same words, whatever the vendor made of them. */
export class CalledTools {
  readonly #prompt: Prompt | undefined
  #tools: ReadonlyMap<string, Tool> | undefined

  constructor(prompt: Prompt | undefined) {
    this.#prompt = prompt
  }

  /** The call as the client knows it. `isWrapped`: its text came as the one argument of a function. */
  named(call: Head): Head & { readonly isWrapped: boolean } {
    const tool = this.#find(call.name)
    const kind = call.kind ?? tool?.kind
    const namespace = call.namespace ?? tool?.namespace
    return {
      name: call.name,
      ...(kind && { kind }),
      ...(namespace !== undefined && { namespace }),
      isWrapped: kind === 'custom' && call.kind === undefined,
    }
  }

  #find(name: string): Tool | undefined {
    if (!this.#prompt) return undefined
    this.#tools ??= new Map(this.#prompt.chat.tools.map(tool => [tool.name, tool]))
    return this.#tools.get(name)
  }
}

import type { Prompt, Tool, ToolCallBlock } from 'deflector'

type Head = Pick<ToolCallBlock, 'name' | 'kind' | 'namespace'>

/** Tells a client of a call by the namespace in which it declared the tool: other dialects have none. */
export class CalledTools {
  readonly #prompt: Prompt | undefined
  #tools: ReadonlyMap<string, Tool> | undefined

  constructor(prompt: Prompt | undefined) {
    this.#prompt = prompt
  }

  named({ name, kind, namespace = this.#find(name)?.namespace }: Head): Head {
    return { name, ...(kind && { kind }), ...(namespace !== undefined && { namespace }) }
  }

  #find(name: string): Tool | undefined {
    if (!this.#prompt) return undefined
    this.#tools ??= new Map(this.#prompt.chat.tools.map(tool => [tool.name, tool]))
    return this.#tools.get(name)
  }
}

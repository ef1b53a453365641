import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Client, Question } from '../conversation.ts'
import { PYTHON_PACKAGES, pythonFolder } from '../packages.ts'

const answer = z.object({
  text: z.string(),
  calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.unknown() })),
  reasoning: z.string().nullable(),
  tokens: z.object({ input: z.number().nullable(), output: z.number().nullable() }),
  native: z.number(),
})
const line = z.union([
  z.object({ id: z.number(), answer }),
  z.object({ id: z.number(), refusal: z.object({ status: z.number().nullable(), message: z.string() }) }),
])
type Line = z.infer<typeof line>

/** One program plays all SDKs of PyPI, many conversations at once. */
class Program {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (line: Line) => void>()
  #asked = 0
  #ended: { readonly status: null; readonly message: string } | undefined

  constructor() {
    const python = join(pythonFolder('py', PYTHON_PACKAGES), 'bin', 'python')
    const script = fileURLToPath(new URL('../python/main.py', import.meta.url))
    this.#child = spawn(python, ['-B', '-W', 'ignore', script], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (!this.#child.stdout) throw new Error('the Python program has no output')
    createInterface(this.#child.stdout).on('line', text => {
      const said = line.parse(JSON.parse(text))
      this.#waiting.get(said.id)?.(said)
      this.#waiting.delete(said.id)
    })
    this.#child.on('exit', code => {
      this.#ended = { status: null, message: `the Python program ended with ${code}` }
      for (const [id, tell] of this.#waiting) tell({ id, refusal: this.#ended })
    })
  }

  tell(words: object): void {
    this.#child.stdin?.write(`${JSON.stringify(words)}\n`)
  }

  ask(words: object): Promise<Line> {
    const id = this.#asked++
    if (this.#ended) return Promise.resolve({ id, refusal: this.#ended })
    return new Promise(resolve => {
      this.#waiting.set(id, resolve)
      this.tell({ ...words, id })
    })
  }
}

let program: Program | undefined

type Made = Omit<Client, 'open'>

/** @param script the file of `../python` that knows it, and which of its clients */
const made = (script: readonly [file: string, of?: string], client: Made): Client => ({
  ...client,
  async open(url) {
    program ??= new Program()
    const running = program
    return {
      async ask(question: Question, stream) {
        const said = await running.ask({ client: [script[0], script[1] ?? ''], url, question, stream })
        if ('refusal' in said) throw Object.assign(new Error(said.refusal.message), { status: said.refusal.status })
        const { reasoning, tokens, ...rest } = said.answer
        return {
          ...rest,
          reasoning: reasoning ?? undefined,
          tokens: { input: tokens.input ?? undefined, output: tokens.output ?? undefined },
        }
      },
      close: () => running.tell({ url, close: true }),
    }
  },
})

export const python: readonly Client[] = [
  made(['openai_chat'], {
    name: 'openai of PyPI, chat',
    version: PYTHON_PACKAGES.openai,
    dialect: 'chat-completions',
    retries: 'unless told',
  }),
  made(['openai_responses'], {
    name: 'openai of PyPI, responses',
    version: PYTHON_PACKAGES.openai,
    dialect: 'responses',
    retries: 'unless told',
  }),
  made(['anthropic_messages'], {
    name: 'anthropic of PyPI',
    version: PYTHON_PACKAGES.anthropic,
    dialect: 'messages',
    retries: 'unless told',
  }),
  made(['google_genai'], {
    name: 'google-genai of PyPI',
    version: PYTHON_PACKAGES['google-genai'],
    dialect: 'generate-content',
    retries: 'never',
  }),
  made(['langchain_models', 'chat'], {
    name: 'langchain-openai of PyPI, chat',
    hides: 'it does not read `reasoning_content`, as its documentation says',
    version: PYTHON_PACKAGES['langchain-openai'],
    dialect: 'chat-completions',
    retries: 'unless told',
  }),
  made(['langchain_models', 'responses'], {
    name: 'langchain-openai of PyPI, responses',
    version: PYTHON_PACKAGES['langchain-openai'],
    dialect: 'responses',
    retries: 'unless told',
  }),
  made(['langchain_models', 'messages'], {
    name: 'langchain-anthropic of PyPI',
    miscounts: 'takes the input of the last event, in which this vendor says none',
    version: PYTHON_PACKAGES['langchain-anthropic'],
    dialect: 'messages',
    retries: 'unless told',
  }),
]

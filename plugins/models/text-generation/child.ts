/** The writing child: a process of its own, because the library's native part can crash. It writes one text at a time. */
import { type Loading, type LoadMessage, load, type Place, reason } from 'deflector/model-process'
import { generate, type OpenModel } from './generate.ts'
import type { Asked, Ready, Said } from './messages.ts'
import { Refusal } from './refusal.ts'

let open: OpenModel | undefined
let current: number | undefined

const send = (message: Said | Loading<Ready>): void => void process.send?.(message)

process.on('message', (message: LoadMessage | Asked) => {
  if (message.type === 'load') void start(message.place)
  else if (message.type === 'write') void write(message.id, message.task)
  else if (message.id === current) current = undefined
})
// Ends with its parent.
process.on('disconnect', () => process.exit(0))

const start = (place: Place): Promise<void> =>
  load<Ready>(place, send, async (library, options) => {
    const tokenizer = await library.AutoTokenizer.from_pretrained(place.model, options)
    const model = await library.AutoModelForCausalLM.from_pretrained(place.model, options)
    const { config, generation_config } = model as { config: Config; generation_config?: Config }
    const window = config.max_position_embeddings ?? config.n_positions ?? config.n_ctx
    const ends = new Set([generation_config?.eos_token_id ?? config.eos_token_id ?? []].flat())
    open = { library, tokenizer, model, ends, ...(window !== undefined && { window }) }
    // A first token, to see that it works.
    await generate(open, { turns: [{ role: 'user', text: 'Hello' }], maxTokens: 1 }, () => false)
    return { ...(window !== undefined && { window }) }
  })

/** What families of models call their window, and the end of an answer. */
interface Config {
  readonly max_position_embeddings?: number
  readonly n_positions?: number
  readonly n_ctx?: number
  readonly eos_token_id?: number | number[]
}

async function write(id: number, task: Parameters<typeof generate>[1]): Promise<void> {
  current = id
  let shown = performance.now()
  const stopped = (): boolean => {
    if (performance.now() - shown > 1000) {
      shown = performance.now()
      send({ type: 'working', id })
    }
    return current !== id
  }
  try {
    if (!open) throw new Error('no model is loaded')
    const written = await generate(open, task, stopped)
    send(written ? { type: 'written', id, written } : { type: 'stopped', id })
  } catch (error) {
    send({ type: error instanceof Refusal ? 'refused' : 'failed', id, message: reason(error) })
  }
}

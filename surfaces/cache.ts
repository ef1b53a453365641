import {
  type Arrival,
  type Call,
  defineSurface,
  type Exchange,
  GatewayError,
  promptOf,
  textAnswer,
  wholeAnswer,
} from 'deflector'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

/** Bytes of a body at these two endpoints. */
const LIMIT = 1 << 20

const asked = z.looseObject({ prompt: z.string().min(1) })
const stored = z.looseObject({ prompt: z.string().min(1), response: z.string().min(1), model: z.string().optional() })

export default defineSurface({
  name: 'cache',
  needsFlow: true,
  summary: 'POST /api/v1/cache/lookup and /store: the caches without a model behind them',
  options: z.strictObject({
    namespace: z
      .string()
      .min(1)
      .default('native')
      .describe('cache namespace; the default shares entries with POST /api/chat'),
  }),
  apply(host, { namespace }) {
    const arrivalOf = ({ id, headers, signal }: Call, read: Required<Arrival>['read']): Arrival => ({
      id,
      namespace,
      headers,
      signal,
      read,
    })

    host.route('POST', '/api/v1/cache/lookup', lookup, { format: native })
    host.route('POST', '/api/v1/cache/store', store, { format: native })

    async function lookup(call: Call): Promise<void> {
      const read = async () => nativePrompt(await readBody(call, asked))
      const { exchange, answer } = await host.handle(arrivalOf(call, read))
      const headers = layerHeaders(exchange)
      if (!answer) return call.send(204, headers)
      const { completion } = answer.kind === 'live' ? await answer.whole : answer
      const created = Math.floor(exchange.startedAt / 1000)
      const { provider } = answer
      const body = native.encodeAnswer(completion, {
        id: call.id,
        created,
        layer: exchange.layer,
        ...(provider !== undefined && { provider }),
      })
      sendJson(call, headers, body)
    }

    async function store(call: Call): Promise<void> {
      let given: z.output<typeof stored> | undefined
      const read = async () => {
        given = await readBody(call, stored)
        const { response: _, ...question } = given
        return nativePrompt(question)
      }
      // The caller is let in before the body is read, so the answer is known only once the flow asks for it.
      const completion = () => textAnswer(given?.response ?? '', { model: given?.model ?? '', id: call.id }).completion
      await host.put(arrivalOf(call, read), wholeAnswer({ completion }))
      sendJson(call, {}, { stored: true })
    }
  },
})

/** The prompt that POST /api/chat would make of the same fields: equal prompts have equal keys. */
const nativePrompt = (question: Record<string, unknown>) =>
  promptOf(native, Buffer.from(JSON.stringify(question)), question)

async function readBody<T>(call: Call, schema: z.ZodType<T>): Promise<T> {
  const text = Buffer.from(await call.body(LIMIT)).toString('utf8')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new GatewayError('bad_request', 'the body is not JSON; send a JSON object in UTF-8')
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = issue?.path.join('.') ?? ''
  throw new GatewayError(
    'bad_request',
    param ? `${param} must be a non-empty string` : 'the body must be a JSON object',
    { ...(param && { param }) },
  )
}

const layerHeaders = ({ layer, deflected, answer, replyHeaders }: Exchange): Record<string, string> => ({
  ...replyHeaders,
  'X-Service-Layer': layer,
  'X-Service-Deflected': String(deflected),
  ...(answer?.staleSecs !== undefined && { 'x-service-stale': String(answer.staleSecs) }),
})

const sendJson = (call: Call, headers: Record<string, string>, body: object): void =>
  call.send(200, { ...headers, 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(body))

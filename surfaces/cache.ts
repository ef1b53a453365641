import {
  type Arrival,
  type Call,
  defineSurface,
  type Exchange,
  GatewayError,
  type Prompt,
  promptOf,
  readPrompt,
  sendJson,
  spliceJson,
  textAnswer,
  wholeAnswer,
} from 'deflector'
import { native } from 'deflector/formats/native'
import { jsonOnly } from 'deflector/formats/own-json'
import { z } from 'zod'

/** Bytes of a body at these two endpoints. */
const LIMIT = 1 << 20

const said = z.string().refine(text => text.trim() !== '')
/** What the native format does not ask for already. */
const asked = z.looseObject({ prompt: said })
const brought = z.looseObject({ prompt: said, response: said })

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
    const arrivalOf = (call: Call, read: Required<Arrival>['read']): Arrival => {
      const { id, headers, cancellation } = call
      return { id, namespace, headers, cancellation, call, read }
    }

    host.route('POST', '/api/v1/cache/lookup', lookup, { format: native })
    host.route('POST', '/api/v1/cache/store', store, { format: native })

    async function lookup(call: Call): Promise<void> {
      const read = async () => {
        const prompt = await readJson(call)
        checked(asked, prompt)
        return prompt
      }
      const { exchange, answer } = await host.lookup(arrivalOf(call, read))
      const headers = layerHeaders(exchange)
      if (!answer || answer.kind === 'bytes') return call.send(204, headers)
      const { completion } = answer.kind === 'live' ? await answer.whole : answer
      const created = Math.floor(exchange.startedAt / 1000)
      const { provider } = answer.facts
      const body = native.encodeAnswer(completion, {
        id: call.id,
        created,
        layer: exchange.layer,
        ...(provider !== undefined && { provider }),
      })
      sendJson(call, body, { headers })
    }

    async function store(call: Call): Promise<void> {
      let response = ''
      const read = async () => {
        const whole = await readJson(call)
        response = checked(brought, whole).response
        return withoutResponse(whole)
      }
      // The caller is let in before the body is read, so the answer is known only once the flow asks for it.
      const completion = () => textAnswer(response, { model: '', id: call.id }).completion
      sendJson(call, await host.put(arrivalOf(call, read), wholeAnswer({ completion })))
    }
  },
})

/** Admission comes first: the content type and the body are read only after the flow admitted the caller. */
async function readJson(call: Call): Promise<Prompt> {
  jsonOnly(call.headers)
  return readPrompt(call, native, LIMIT)
}

/** The prompt that POST /api/chat would make of the other fields, byte for byte: equal prompts have equal keys. */
function withoutResponse({ bytes, body: { response: _, ...question } }: Prompt): Prompt {
  return promptOf(native, spliceJson(bytes, { response: undefined }), question)
}

function checked<T>(schema: z.ZodType<T>, { body }: Prompt): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const param = parsed.error.issues[0]?.path.join('.') ?? ''
  throw new GatewayError('bad_request', `${param} must be a string that is not blank`, { param })
}

const layerHeaders = ({ layer, deflected, answer, replyHeaders }: Exchange): Record<string, string> => ({
  ...replyHeaders,
  'X-Service-Layer': layer,
  'X-Service-Deflected': String(deflected),
  ...(answer?.facts.staleSecs !== undefined && { 'x-service-stale': String(answer.facts.staleSecs) }),
})

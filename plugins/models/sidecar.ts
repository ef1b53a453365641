import { defineModel } from 'deflector'
import { z } from 'zod'
import { remoteEmbedder } from './upstream/remote.ts'

const reply = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) })
type Reply = z.infer<typeof reply>

/** A server beside the gateway that speaks the embeddings format of chat-completions: `POST /v1/embeddings`. */
export default defineModel({
  name: 'sidecar',
  summary: 'embeds with a server beside the gateway, by POST /v1/embeddings',
  options: z.strictObject({
    url: z.url().describe('Address of the server, with or without `/v1`.'),
    model: z.string().min(1).describe('Name of the model there.'),
    timeout_secs: z.number().positive().default(10).describe('Time limit of a call, in seconds.'),
  }),
  apply: (host, { url, model, timeout_secs }) =>
    remoteEmbedder(host, {
      url: `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/embeddings`,
      timeoutSecs: timeout_secs,
      setting: 'embedding_sidecar.sidecar_url and embedding_sidecar.model_name',
      body: texts => ({ model, input: texts, encoding_format: 'float' }),
      vectors: answer => inOrder(reply.safeParse(answer).data?.data),
    }),
})

/** Each text needs its own index; otherwise one text could get the vector of another. */
function inOrder(rows: Reply['data'] | undefined): readonly (readonly number[])[] | undefined {
  const sorted = rows?.toSorted((a, b) => a.index - b.index)
  return sorted?.every(({ index }, i) => index === i) ? sorted.map(row => row.embedding) : undefined
}

import { defineModel } from 'deflector'
import { z } from 'zod'
import { remoteEmbedder } from './upstream/remote.ts'

const reply = z.array(z.array(z.number()))
/** A model from a folder has no `model_sha`, and its name is not unique. The type says how tokens become one vector. */
const info = z.object({ model_id: z.string().min(1), model_sha: z.string().min(1), model_type: z.unknown() })

/** A text-embeddings-inference server: `POST /embed`. */
export default defineModel({
  name: 'tei',
  summary: 'embeds with a text-embeddings-inference server',
  options: z.strictObject({
    url: z.url().describe('Address of the server, without `/embed`.'),
    timeout_secs: z.number().positive().default(10).describe('Time limit of a call, in seconds.'),
  }),
  apply(host, { url, timeout_secs }) {
    const base = url.replace(/\/+$/, '')
    return remoteEmbedder(host, {
      url: `${base}/embed`,
      timeoutSecs: timeout_secs,
      info: { url: `${base}/info`, weights: answer => info.safeParse(answer).data },
      setting: 'semantic_cache.remote_url',
      body: texts => ({ inputs: texts, truncate: true }),
      vectors: answer => reply.safeParse(answer).data,
    })
  },
})

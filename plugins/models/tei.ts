import { defineModel } from 'deflector'
import { z } from 'zod'
import { remoteEmbedder } from './upstream/remote.ts'

const reply = z.array(z.array(z.number()))

/** A text-embeddings-inference server: `POST /embed`. */
export default defineModel({
  name: 'tei',
  summary: 'embeds with a text-embeddings-inference server',
  options: z.strictObject({
    url: z.url().describe('Address of the server, without `/embed`.'),
    timeout_secs: z.number().positive().default(10).describe('Time limit of a call, in seconds.'),
  }),
  apply: (host, { url, timeout_secs }) =>
    remoteEmbedder(host, {
      url: `${url.replace(/\/+$/, '')}/embed`,
      timeoutSecs: timeout_secs,
      fingerprint: `tei:${url}`,
      setting: 'semantic_cache.remote_url',
      body: texts => ({ inputs: texts, truncate: true }),
      vectors: answer => reply.parse(answer),
    }),
})

import { defineObserver } from 'deflector'
import { type RequestHistory, requestHistory } from 'deflector/facets/request-history'
import { recordAttempt } from 'deflector/formats/attempt-records'
import { z } from 'zod'
import { pendingEntry, SEEN_BYTES } from './entry.ts'
import { LogWriter } from './log-writer.ts'
import { entriesOf, entryOf } from './read-back.ts'
import { RotatingFile } from './rotating-file.ts'

const FILES = { maxBytes: 10 << 20, rotations: 5 }

/** Writes each request and its answer to a file, without keys. It never makes a request wait. */
export default defineObserver({
  name: 'request-log',
  summary: 'writes requests and answers to rotating JSONL files',
  options: z.strictObject({
    enabled: z.boolean().default(false).describe('Write the log. It holds prompts and answers.'),
    path: z.string().min(1).describe('Folder of the files: six of 10 MiB at most.'),
  }),
  apply(host, { enabled, path }) {
    if (!enabled) return
    const { log, clock, hooks, name } = host
    const kept = host.keep(
      `request-log:${path}`,
      () => {
        const file = new RotatingFile(path, FILES, clock)
        return { file, writer: new LogWriter(file, log, clock) }
      },
      ({ writer }) => writer.close(),
    )
    const { file, writer } = kept
    host.keepReplies(SEEN_BYTES)
    const history: RequestHistory = {
      path,
      async list(query) {
        await writer.flush()
        return entriesOf(file.paths, query)
      },
      async find(id) {
        await writer.flush()
        return entryOf(file.paths, id)
      },
    }
    host.offer(requestHistory, history)
    hooks.attempted.tap(name, recordAttempt)
    hooks.finish.tap(name, exchange => {
      if (exchange.kind === 'chat') writer.add(pendingEntry(exchange, clock.now()))
    })
  },
})

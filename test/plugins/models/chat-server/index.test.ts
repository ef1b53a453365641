import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Cancellation, type Writer, type WritingTask } from 'deflector'
import { modelEndpoint } from 'deflector/facets/model-endpoint'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import chatServer from '../../../../plugins/models/chat-server/index.ts'
import { type TestHost, testHost } from '../../../contracts/host.ts'
import { checkModel } from '../../../contracts/model.ts'
import { opened } from '../../../support/opened.ts'

const message = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })

/** All that a server of the OpenAI format may be sent: an unknown field is an error with some of them. */
const openaiBody = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  max_tokens: z.int().positive(),
  stream: z.literal(false),
  temperature: z.number().optional(),
  response_format: z
    .union([
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({
          name: z.string().regex(/^[\w-]+$/),
          schema: z.record(z.string(), z.unknown()),
          strict: z.boolean(),
        }),
      }),
    ])
    .optional(),
})

const ollamaBody = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.literal(false),
  format: z.union([z.literal('json'), z.record(z.string(), z.unknown())]).optional(),
  options: z.strictObject({
    num_predict: z.int().positive(),
    num_ctx: z.int().positive(),
    temperature: z.number().optional(),
  }),
})

interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: z.output<typeof openaiBody> | z.output<typeof ollamaBody>
}

type Answer = { readonly status?: number; readonly json?: object; readonly text?: string } | 'nothing'

/** Answers as the two kinds of servers do, and refuses what they would. */
async function startServer() {
  const asked: Asked[] = []
  let scripted: Answer | undefined
  const state = { isOllama: false, isProxy: false }
  const answerTo = (path: string, json: unknown): Answer => {
    if (path === '/v1/chat/completions') {
      const { data, error } = openaiBody.safeParse(json)
      if (!data) return { status: 400, json: { error: { message: String(error) } } }
      const text = 'Seven is a prime number, and so on.'.slice(0, 5 * data.max_tokens)
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }]
      const signed = state.isOllama && { system_fingerprint: 'fp_ollama' }
      return { json: { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage: USAGE, ...signed } }
    }
    if (path === '/api/chat' && !state.isProxy) {
      const { data, error } = ollamaBody.safeParse(json)
      if (!data) return { status: 400, json: { error: String(error) } }
      const content = 'Seven is a prime number, and so on.'.slice(0, 5 * data.options.num_predict)
      const counts = { prompt_eval_count: 11, eval_count: Math.min(2, data.options.num_predict) }
      return {
        json: { model: 'm', message: { role: 'assistant', content }, done: true, done_reason: 'stop', ...counts },
      }
    }
    return { status: 404, json: { error: `no ${path}` } }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const json = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const path = request.url ?? ''
    asked.push({ path, headers: request.headers, body: json })
    const answer = scripted ?? answerTo(path, json)
    if (answer === 'nothing') return
    response
      .writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      .end(answer.text ?? JSON.stringify(answer.json ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  opened(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    asked,
    /** From now on each call is answered so; without one as a server would. */
    answer(next: Answer | undefined) {
      scripted = next
    },
  })
}

const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }

const server = await startServer()
const OPTIONS = { url: `${server.url}/v1`, model: 'small' }

checkModel(chatServer, { options: OPTIONS })
checkModel(chatServer, { options: { url: `${server.url}/api`, model: 'small' } })

const TASK: WritingTask = {
  system: 'Be brief.',
  turns: [
    { role: 'user', text: 'Is 6 prime?' },
    { role: 'assistant', text: 'No.' },
    { role: 'user', text: 'And the secret 7?' },
  ],
  maxTokens: 64,
}

const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Is 6 prime?' },
  { role: 'assistant', content: 'No.' },
  { role: 'user', content: 'And the secret 7?' },
]

async function withModel(
  options: object,
  run: (writer: Writer, host: TestHost<'model'>) => Promise<void>,
): Promise<void> {
  const host = testHost('model')
  const writer = host.apply(chatServer, { ...OPTIONS, ...options }) as Writer
  server.asked.length = 0
  server.answer(undefined)
  try {
    await host.start()
    await run(writer, host)
  } finally {
    await host.dispose()
  }
}

test('asks a server of the OpenAI format, and reads its count', () =>
  withModel({}, async writer => {
    const written = await writer.write({ ...TASK, temperature: 0, json: true })
    assert.equal(written, {
      text: 'Seven is a prime number, and so on.',
      finish: 'stop',
      usage: { input: 9, output: 2 },
    })
    assert.equal(
      server.asked.map(({ path, body }) => ({ path, body })),
      [
        {
          path: '/v1/chat/completions',
          body: {
            model: 'small',
            messages: MESSAGES,
            max_tokens: 64,
            stream: false,
            temperature: 0,
            response_format: { type: 'json_object' },
          },
        },
      ],
    )
  }))

test('asks Ollama in its own format, with one window for all calls', () =>
  withModel({ url: `${server.url}/api`, context_tokens: 4096 }, async writer => {
    const written = await writer.write({ ...TASK, temperature: 0.5, json: true })
    assert.equal(written, {
      text: 'Seven is a prime number, and so on.',
      finish: 'stop',
      usage: { input: 11, output: 2 },
    })
    assert.equal(
      server.asked.map(({ path, body }) => ({ path, body })),
      [
        {
          path: '/api/chat',
          body: {
            model: 'small',
            messages: MESSAGES,
            stream: false,
            format: 'json',
            options: { num_predict: 64, num_ctx: 4096, temperature: 0.5 },
          },
        },
      ],
    )
  }))

test('a schema is sent as each kind of server takes it', async () => {
  const schema = { type: 'object', properties: { prime: { type: 'boolean' } } }
  await withModel({}, async writer => {
    await writer.write({ ...TASK, json: true, schema })
    const format = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
    assert.equal(openaiBody.parse(server.asked[0]?.body).response_format, format)
  })
  await withModel({ url: `${server.url}/api` }, async writer => {
    await writer.write({ ...TASK, json: true, schema })
    assert.equal(ollamaBody.parse(server.asked[0]?.body).format, schema)
  })
})

test('a base, a version, and a whole address are one', async () => {
  for (const [end, path] of [
    ['', '/v1/chat/completions'],
    ['/', '/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/proxy/v1', '/proxy/v1/chat/completions'],
    ['/api', '/api/chat'],
    ['/api/chat', '/api/chat'],
    ['/api/chat/', '/api/chat'],
  ])
    await withModel({ url: server.url + end }, async writer => {
      server.answer({ json: {} })
      await writer.write(TASK).catch(() => {})
      assert.equal(
        server.asked.map(asked => asked.path),
        [path],
        end,
      )
    })
})

test('the format can be set against what the address looks like', () =>
  withModel({ url: server.url, api: 'ollama' }, async writer => {
    await writer.write(TASK)
    assert.is(server.asked[0]?.path, '/api/chat')
  }))

test('Ollama is known by its first answer, and asked again with a window of its own', async () => {
  for (const end of ['', '/v1', '/v1/chat/completions'])
    await withModel({ url: server.url + end }, async (writer, host) => {
      server.isOllama = true
      try {
        for (let at = 0; at < 2; at++) assert.is((await writer.write(TASK)).usage?.input, 11, 'by its own count')
      } finally {
        server.isOllama = false
      }
      assert.equal(
        server.asked.map(({ path }) => path),
        ['/v1/chat/completions', '/api/chat', '/api/chat'],
      )
      assert.is(ollamaBody.parse(server.asked[1]?.body).options.num_ctx, 8192)
      for (const url of [writer.url, host.offer(modelEndpoint)?.url]) assert.is(url, `${server.url}/api/chat`)
    })
  await withModel({ api: 'openai' }, async writer => {
    server.isOllama = true
    await writer.write(TASK).finally(() => {
      server.isOllama = false
    })
    assert.is(server.asked.length, 1, 'an operator who names the format gets it')
  })
})

test('what stands in front of an Ollama and lets one format pass is asked in that one', () =>
  withModel({ url: `${server.url}/v1` }, async writer => {
    Object.assign(server, { isOllama: true, isProxy: true })
    try {
      for (let at = 0; at < 3; at++) assert.is((await writer.write(TASK)).usage?.input, 9)
    } finally {
      Object.assign(server, { isOllama: false, isProxy: false })
    }
    const chat = '/v1/chat/completions'
    assert.equal(
      server.asked.map(({ path }) => path),
      [chat, '/api/chat', chat, chat],
    )
  }))

test('what may not fit the window of Ollama is not sent: it would be cut without a word', () =>
  withModel({ url: `${server.url}/api` }, async writer => {
    const long = (text: string): WritingTask => ({ turns: [{ role: 'user', text }], maxTokens: 2048 })
    await writer.write(long('word '.repeat(3_200)))
    await writer.write({ ...long('word '.repeat(3_200)), maxTokens: 8_192 })
    const room = ollamaBody.parse(server.asked[1]?.body).options.num_predict
    assert.ok(room > 2_048 && room < 3_000, `${room} tokens are left for the answer`)
    for (const text of ['\u6f22'.repeat(8_000), 'word '.repeat(4_800)])
      await writer.write(long(text)).then(
        () => assert.unreachable('a conversation that is cut'),
        (error: Error) => assert.is(error.name, 'Refusal'),
      )
    assert.is(server.asked.length, 2)
  }))

test('says that an answer was cut off', async () => {
  const choice = { message: { content: 'Seven is' }, finish_reason: 'length' }
  await withModel({}, async writer => {
    server.answer({ json: { choices: [choice] } })
    assert.equal(await writer.write(TASK), { text: 'Seven is', finish: 'length' })
  })
  await withModel({ url: `${server.url}/api` }, async writer => {
    server.answer({ json: { message: { content: 'Seven is' }, done: true, done_reason: 'length' } })
    assert.equal(await writer.write(TASK), { text: 'Seven is', finish: 'length' })
  })
})

test('every call says which gateway it is from, and shows the key', () =>
  withModel({ api_key: 'sk-local-1' }, async writer => {
    await writer.write(TASK)
    const { headers } = server.asked[0] ?? {}
    assert.is(headers?.['x-service-hop'], 'this-gateway')
    assert.is(headers?.authorization, 'Bearer sk-local-1')
  }))

test('no failure quotes the key, the conversation, or what the server said of it', async () => {
  const quoting = { error: { message: 'you said "And the secret 7?" with sk-local-1' } }
  for (const answer of [
    { status: 400, json: quoting },
    { status: 500, json: quoting },
    { text: 'And the secret 7? sk-local-1' },
    { json: quoting },
    { json: { choices: [{ message: { content: 'secret 7' }, finish_reason: 'tool_calls' }] } },
  ])
    await withModel({ api_key: 'sk-local-1', url: OPTIONS.url.replace('//', '//me:sk-local-1@') }, async writer => {
      server.answer(answer)
      const error = await writer.write(TASK).catch((thrown: unknown) => thrown)
      assert.instance(error, Error)
      assert.not.match(String(error), /secret|sk-local/)
      assert.match(String(error), /^(Refusal|Error): the small model's server (answered|ended) /)
      assert.not.match(writer.url ?? '', /sk-local/)
    })
})

test('a count that is none is left out, and the answer stands', async () => {
  const text = 'Seven is prime.'
  for (const odd of [-1, 1.5, 1e300, '7', null]) {
    await withModel({}, async writer => {
      const usage = { prompt_tokens: odd, completion_tokens: 2 }
      server.answer({ json: { choices: [{ message: { content: text }, finish_reason: 'stop' }], usage } })
      assert.equal(await writer.write(TASK), { text, finish: 'stop' })
    })
    await withModel({ url: `${server.url}/api` }, async writer => {
      server.answer({ json: { message: { content: text }, done: true, prompt_eval_count: odd, eval_count: 2 } })
      assert.equal(await writer.write(TASK), { text, finish: 'stop' })
    })
  }
})

test('a reply that no limit of tokens allows is not read to its end', () =>
  withModel({}, async writer => {
    const content = 'word '.repeat(250_000)
    server.answer({ json: { choices: [{ message: { content }, finish_reason: 'stop' }] } })
    const error = await writer.write(TASK).catch((thrown: unknown) => thrown)
    assert.match(String(error), /the reply of the small model's server is too large/)
  }))

test('a task that a working server cannot take is told from a failure', () =>
  withModel({}, async writer => {
    const nameOf = async (status: number): Promise<string> => {
      server.answer({ status })
      return writer.write(TASK).then(
        () => '',
        (error: Error) => error.name,
      )
    }
    assert.is(await nameOf(400), 'Refusal')
    assert.is(await nameOf(413), 'Refusal')
    assert.is(await nameOf(404), 'Error')
    assert.is(await nameOf(503), 'Error')
  }))

test('an answer that ended otherwise than a text ends is no failure of its server', async () => {
  const nameOf = (writer: Writer): Promise<string> =>
    writer.write(TASK).then(
      () => '',
      (error: Error) => error.name,
    )
  for (const [reason, name] of [
    ['tool_calls', 'Refusal'],
    ['content_filter', 'Refusal'],
    ['eos_token', ''],
    ['', ''],
    ['a new one', 'Error'],
  ] as const) {
    const message = { content: 'Seven is prime.' }
    await withModel({}, async writer => {
      server.answer({ json: { choices: [{ message, finish_reason: reason }] } })
      assert.is(await nameOf(writer), name, reason)
    })
    await withModel({ url: `${server.url}/api` }, async writer => {
      server.answer({ json: { message, done: true, done_reason: reason } })
      assert.is(await nameOf(writer), name, reason)
    })
  }
})

test('a call ends when it is given up, and when its time is up', () =>
  withModel({ timeout_secs: 20 }, async (writer, { clock }) => {
    server.answer('nothing')
    const cancellation = new Cancellation()
    const left = new Error('left')
    const given = writer.write(TASK, cancellation).catch((error: unknown) => error)
    cancellation.cancel(left)
    assert.is(await given, left)
    const late = writer.write(TASK).catch((error: unknown) => error)
    await clock.advance(20_000)
    assert.is(((await late) as Error).name, 'TimeoutError')
  }))

test('the endpoint that a check asks is named without its credentials', () =>
  withModel({ url: OPTIONS.url.replace('//', '//me:secret@') }, async (_, host) => {
    const endpoint = host.offer(modelEndpoint)
    assert.is(endpoint?.url, `${server.url}/v1/chat/completions`)
    await endpoint?.check(new Cancellation())
    assert.is(server.asked.length, 1)
    server.answer({ status: 404 })
    await endpoint?.check(new Cancellation()).then(
      () => assert.unreachable('a model that is not there'),
      (error: Error) => assert.match(error.message, 'answered 404'),
    )
  }))

test.run()

const TURNS = 2500
/** About 4 KB, so that all turns are 10 MB. */
const TURN = 'The quick brown fox jumps over the lazy dog. '.repeat(93)

/** Stands in each large body, where the next one is numbered. */
export const NUMBER = '#00000000'

const history = <T>(turn: (user: boolean, text: string) => T): T[] =>
  Array.from({ length: TURNS }, (_, at) => turn(at % 2 === 0, `${at === 0 ? NUMBER : at} ${TURN}`)).slice(0, -1)

/** One string of the same size, with a character in it that is written as an escape. */
const STRING = `${NUMBER} ${'A text\n'.repeat(1_480_000)}`

interface Large {
  readonly path: string
  readonly body: () => object
}

/** Long histories of 10 MB, in each dialect, and one string. */
export const LARGE = {
  'chat-completions': {
    path: '/v1/chat/completions',
    body: () => ({
      model: 'm',
      messages: history((user, content) => ({ role: user ? 'user' : 'assistant', content })),
    }),
  },
  messages: {
    path: '/v1/messages',
    body: () => ({
      model: 'm',
      max_tokens: 9,
      messages: history((user, content) => ({ role: user ? 'user' : 'assistant', content })),
    }),
  },
  responses: {
    path: '/v1/responses',
    body: () => ({
      model: 'm',
      store: false,
      input: history((user, content) => ({ role: user ? 'user' : 'assistant', content })),
    }),
  },
  'generate-content': {
    path: '/v1beta/models/m:generateContent',
    body: () => ({ contents: history((user, text) => ({ role: user ? 'user' : 'model', parts: [{ text }] })) }),
  },
  'messages in one string': {
    path: '/v1/messages',
    body: () => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: STRING }] }),
  },
} as const satisfies Readonly<Record<string, Large>>

export type Shape = keyof typeof LARGE

import { type Client, MAX_TOKENS, MODEL, type Turn } from '../conversation.ts'
import { gathered } from '../gathered.ts'
import { load, NODE_PACKAGES } from '../packages.ts'

/** By default it goes on for minutes. */
const RETRIES = 2

interface Model {
  bindTools(tools: readonly object[]): Model
  stream(input: readonly unknown[], options: object): Promise<AsyncIterable<Message>>
  invoke(input: readonly unknown[], options: object): Promise<Message>
}

/** What is read of a package's module. */
type Module = Readonly<
  Record<'ChatOpenAI' | 'ChatAnthropic' | 'ChatGoogleGenerativeAI', new (options: object) => Model>
>

interface Wire {
  readonly dialect: Client['dialect']
  readonly package: keyof typeof NODE_PACKAGES
  readonly of?: string
  readonly lacks?: Client['lacks']
  readonly miscounts?: string
  /** A model of its module. */
  model(module: Module, url: string, reasoning: boolean): Model
  /** How a schema is asked for. */
  schema(schema: object): object
}

const openai =
  (useResponsesApi: boolean): Wire['model'] =>
  ({ ChatOpenAI }, url, reasoning) =>
    new ChatOpenAI({
      // It asks only models that it knows to reason.
      model: reasoning ? 'gpt-5' : MODEL,
      apiKey: 'any',
      maxTokens: MAX_TOKENS,
      maxRetries: RETRIES,
      useResponsesApi,
      ...(useResponsesApi && { zdrEnabled: true }),
      ...(reasoning && {
        reasoning: { effort: 'high', ...(useResponsesApi && { summary: 'auto' }) },
      }),
      configuration: { baseURL: `${url}/v1` },
    })

const WIRES: readonly Wire[] = [
  {
    dialect: 'chat-completions',
    package: '@langchain/openai',
    of: 'chat',
    model: openai(false),
    schema: schema => ({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
  },
  {
    dialect: 'responses',
    package: '@langchain/openai',
    of: 'responses',
    model: openai(true),
    schema: schema => ({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
  },
  {
    dialect: 'messages',
    package: '@langchain/anthropic',
    miscounts: 'adds the output of the first event to that of the last, and takes the input of the first',
    model: ({ ChatAnthropic }, url, reasoning) =>
      new ChatAnthropic({
        model: MODEL,
        apiKey: 'any',
        maxTokens: MAX_TOKENS,
        maxRetries: RETRIES,
        anthropicApiUrl: url,
        ...(reasoning && { thinking: { type: 'enabled', budget_tokens: 2000 } }),
      }),
    schema: schema => ({ outputConfig: { format: { type: 'json_schema', schema } } }),
  },
  {
    dialect: 'generate-content',
    package: '@langchain/google-genai',
    lacks: {
      text: 'its parser of streams ends a line at U+2028',
      'nested and unicode arguments': 'its parser of streams ends a line at U+2028',
      image: 'it refuses images for models that it does not know',
      reasoning: 'it counts no thoughts',
      '429, told at once': 'it does not ask again after a 429',
    },
    model: ({ ChatGoogleGenerativeAI }, url, reasoning) =>
      new ChatGoogleGenerativeAI({
        model: MODEL,
        apiKey: 'any',
        maxOutputTokens: MAX_TOKENS,
        maxRetries: RETRIES,
        baseUrl: url,
        ...(reasoning && { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } }),
      }),
    schema: schema => ({ responseSchema: schema }),
  },
]

interface Part {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly reasoning?: string
}

interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

interface Message {
  readonly content: string | readonly Part[]
  readonly additional_kwargs: { readonly reasoning_content?: string }
  readonly tool_calls?: readonly ToolCall[]
  readonly usage_metadata?: { readonly input_tokens: number; readonly output_tokens: number }
  concat(next: Message): Message
}

/** The framework over each of its packages. */
export const langchain: readonly Client[] = WIRES.map(wire => ({
  name: `${wire.package}${wire.of ? ` ${wire.of}` : ''}`,
  version: NODE_PACKAGES[wire.package],
  dialect: wire.dialect,
  retries: 'always',
  ...(wire.lacks && { lacks: wire.lacks }),
  ...(wire.miscounts && { miscounts: wire.miscounts }),
  async open(url) {
    const [{ AIMessage, HumanMessage, SystemMessage, ToolMessage }, module] = [
      await load('@langchain/core/messages'),
      await load(wire.package),
    ]
    const messages = (turn: Turn): readonly unknown[] => {
      if ('user' in turn) {
        const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${turn.png}` } }
        return [new HumanMessage(turn.png ? { content: [{ type: 'text', text: turn.user }, image] } : turn.user)]
      }
      if ('assistant' in turn) return [new AIMessage(turn.assistant)]
      if ('native' in turn) return [turn.native]
      return turn.results.map(({ id, name, text }) => new ToolMessage({ content: text, tool_call_id: id, name }))
    }
    return {
      async ask({ system, turns, tools, schema, reasoning }, stream) {
        let model = wire.model(module, url, reasoning ?? false)
        if (tools) model = model.bindTools(tools.map(tool => ({ type: 'function', function: tool })))
        const input = [...(system ? [new SystemMessage(system)] : []), ...turns.flatMap(messages)]
        const options = schema ? wire.schema(schema) : {}
        const answer: Message = stream
          ? (await gathered(await model.stream(input, options))).reduce((all, chunk) => all.concat(chunk))
          : await model.invoke(input, options)
        const parts: readonly Part[] =
          typeof answer.content === 'string' ? [{ type: 'text', text: answer.content }] : answer.content
        const calls = answer.tool_calls ?? []
        const thoughts = parts.map(({ thinking, reasoning: words }) => thinking ?? words ?? '').join('')
        return {
          text: parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''),
          calls: calls.map(({ id, name, args }) => ({ id, name, arguments: args })),
          reasoning: thoughts || answer.additional_kwargs.reasoning_content,
          tokens: { input: answer.usage_metadata?.input_tokens, output: answer.usage_metadata?.output_tokens },
          native: answer,
        }
      },
    }
  },
}))

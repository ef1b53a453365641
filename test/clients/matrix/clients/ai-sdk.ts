import { type Client, MAX_TOKENS, MODEL, type Turn } from '../conversation.ts'
import { load, NODE_PACKAGES } from '../packages.ts'

function messages(turn: Turn): readonly unknown[] {
  if ('user' in turn) {
    const image = turn.png ? [{ type: 'file', data: turn.png, mediaType: 'image/png' }] : []
    return [{ role: 'user', content: [{ type: 'text', text: turn.user }, ...image] }]
  }
  if ('assistant' in turn) return [{ role: 'assistant', content: turn.assistant }]
  if ('native' in turn) return Array.isArray(turn.native) ? turn.native : []
  const content = turn.results.map(({ id, name, text }) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'text', value: text },
  }))
  return [{ role: 'tool', content }]
}

interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

type Model = (name: string) => unknown
type Make<Provider> = (options: { readonly baseURL: string; readonly apiKey: string }) => Provider

/** What is read of a provider's module. */
interface Module {
  readonly createOpenAI: Make<{ readonly chat: Model; readonly responses: Model }>
  readonly createAnthropic: Make<Model>
  readonly createGoogle: Make<Model>
}

interface Wire {
  readonly dialect: Client['dialect']
  readonly package: keyof typeof NODE_PACKAGES
  readonly of?: string
  readonly hides?: string
  /** Asks for reasoning, in the options of the provider. */
  readonly reasoning: object
  /** Else, where a model that the framework does not know needs them. */
  readonly options?: object
  /** A model of its module. */
  model(module: Module, url: string): unknown
}

const WIRES: readonly Wire[] = [
  {
    dialect: 'chat-completions',
    package: '@ai-sdk/openai',
    of: 'chat',
    hides: 'it does not read `reasoning_content`',
    reasoning: { openai: { forceReasoning: true, reasoningEffort: 'high' } },
    model: ({ createOpenAI }, url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).chat(MODEL),
  },
  {
    dialect: 'responses',
    package: '@ai-sdk/openai',
    of: 'responses',
    reasoning: { openai: { forceReasoning: true, reasoningEffort: 'high', reasoningSummary: 'auto', store: false } },
    model: ({ createOpenAI }, url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).responses(MODEL),
  },
  {
    dialect: 'messages',
    package: '@ai-sdk/anthropic',
    options: { anthropic: { structuredOutputMode: 'outputFormat' } },
    reasoning: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
    model: ({ createAnthropic }, url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'any' })(MODEL),
  },
  {
    dialect: 'generate-content',
    package: '@ai-sdk/google',
    reasoning: { google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } } },
    model: ({ createGoogle }, url) => createGoogle({ baseURL: `${url}/v1beta`, apiKey: 'any' })(MODEL),
  },
]

/** The framework `ai` over each of its providers. */
export const aiSdk: readonly Client[] = WIRES.map(wire => ({
  name: `ai, ${wire.package}${wire.of ? ` ${wire.of}` : ''}`,
  version: NODE_PACKAGES[wire.package],
  dialect: wire.dialect,
  retries: 'always',
  ...(wire.hides && { hides: wire.hides }),
  async open(url) {
    const [ai, module] = [await load('ai'), await load(wire.package)]
    return {
      async ask({ system, turns, tools, schema, reasoning }, stream) {
        const request = {
          model: wire.model(module, url),
          maxOutputTokens: MAX_TOKENS,
          ...(system && { instructions: system }),
          messages: turns.flatMap(messages),
          ...(tools && {
            tools: Object.fromEntries(
              tools.map(({ name, description, parameters }) => [
                name,
                ai.tool({ description, inputSchema: ai.jsonSchema(parameters) }),
              ]),
            ),
          }),
          ...(schema && { output: ai.Output.object({ schema: ai.jsonSchema(schema) }) }),
          providerOptions: reasoning ? wire.reasoning : (wire.options ?? {}),
        }
        const failures: unknown[] = []
        const answer = stream
          ? ai.streamText({ ...request, onError: ({ error }: { error: unknown }) => failures.push(error) })
          : await ai.generateText(request)
        try {
          const [text, toolCalls, usage, reasoningText, response] = await Promise.all([
            answer.text,
            answer.toolCalls,
            answer.usage,
            answer.reasoningText,
            answer.response,
          ])
          const calls: readonly ToolCall[] = toolCalls
          return {
            text,
            calls: calls.map(({ toolCallId, toolName, input }) => ({
              id: toolCallId,
              name: toolName,
              arguments: input,
            })),
            reasoning: reasoningText,
            tokens: { input: usage.inputTokens, output: usage.outputTokens },
            native: response.messages,
          }
        } catch (error) {
          throw failures[0] ?? error
        }
      },
    }
  },
}))

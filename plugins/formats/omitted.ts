import type { Block, Chat, EncodeTarget, Tool } from 'deflector'
import { isBreakpoint, marksIn } from './cache-mark.ts'

/** What a client may ask for that not every format can say, by the names of most dialects, and whether this one asks. */
const ASKED = {
  temperature: ({ sampling }: Chat) => isOther(sampling.temperature, 1),
  top_p: ({ sampling }: Chat) => isOther(sampling.topP, 1),
  top_k: ({ sampling }: Chat) => isOther(sampling.topK),
  seed: ({ sampling }: Chat) => isOther(sampling.seed),
  frequency_penalty: ({ sampling }: Chat) => isOther(sampling.frequencyPenalty, 0),
  presence_penalty: ({ sampling }: Chat) => isOther(sampling.presencePenalty, 0),
  // Left to the model, which is what happens anyway.
  reasoning_effort: ({ reasoning }: Chat) =>
    reasoning !== undefined &&
    !(reasoning.mode === 'auto' && reasoning.effort === undefined && reasoning.budget === undefined),
  tool_choice: ({ tools, toolChoice }: Chat) =>
    tools.length > 0 && (toolChoice?.mode === 'any' || toolChoice?.mode === 'named'),
  parallel_tool_calls: ({ tools, toolChoice }: Chat) => tools.length > 0 && toolChoice?.parallel === false,
  'tools.strict': ({ tools }: Chat) => tools.some(isStrict),
  'response_format.strict': ({ responseFormat }: Chat) =>
    responseFormat?.type === 'schema' && responseFormat.strict === true,
  user: ({ user }: Chat) => isOther(user),
  verbosity: ({ serving }: Chat) => isOther(serving?.verbosity),
  service_tier: ({ serving }: Chat) => isOther(serving?.tier, 'auto'),
  prompt_cache_key: ({ serving }: Chat) => isOther(serving?.cacheKey),
  prompt_cache_retention: ({ serving }: Chat) => isOther(serving?.cacheRetention),
  prompt_cache_options: ({ serving }: Chat) => isOther(serving?.cacheOptions),
  prompt_cache_breakpoint: (chat: Chat) => marksIn(chat).some(isBreakpoint),
  cache_control: (chat: Chat) => marksIn(chat).some(mark => !isBreakpoint(mark)),
  metadata: ({ serving }: Chat) => isOther(serving?.metadata),
  store: ({ serving }: Chat) => serving?.kept === true,
  // The beginning of an answer that is to be continued.
  'messages[-1]': ({ turns }: Chat) => turns.at(-1)?.role === 'assistant',
  'image.detail': (chat: Chat) => detailsOf(chat).some(detail => isOther(detail, 'auto')),
} satisfies Readonly<Record<string, (chat: Chat) => boolean>>

export type Omittable = keyof typeof ASKED

/** All that is asked of the serving. */
export const SERVING = [
  'verbosity',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
  'metadata',
  'store',
] as const

/** Notes those of the fields that the client set to more than their default. `false` stands for a field that is written. */
export function noteOmitted(chat: Chat, fields: readonly (Omittable | false)[], { note }: Pick<EncodeTarget, 'note'>) {
  if (!note) return
  for (const field of fields) if (field && ASKED[field](chat)) note(field)
}

const isOther = (value: unknown, idle?: unknown): boolean => value !== undefined && value !== idle

const isStrict = ({ strict }: Tool): boolean => strict === true

const detailsOf = ({ turns }: Chat): (string | undefined)[] =>
  turns.flatMap(({ blocks }) =>
    blocks
      .flatMap((block): readonly Block[] => (block.type === 'tool_result' ? block.blocks : [block]))
      .map(block => (block.type === 'image' ? block.detail : undefined)),
  )

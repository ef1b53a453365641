import type { Usage } from 'deflector'

/** A count of tokens in a vendor's usage; `undefined` for what is none. */
export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** The same for a word. */
export const wordIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

type Counts = Pick<Usage, 'input' | 'output'> & {
  readonly [Part in 'cacheRead' | 'cacheWrite' | 'cacheWriteLong' | 'reasoning' | 'largestPrompt']?: number | undefined
} & { readonly tier?: string | undefined }

/** Usage with the parts that the vendor counted. */
export const usageOf = ({
  input,
  output,
  cacheRead,
  cacheWrite,
  cacheWriteLong,
  reasoning,
  largestPrompt,
  tier,
}: Counts): Usage => ({
  input,
  output,
  ...(cacheRead !== undefined && { cacheRead }),
  ...(cacheWrite !== undefined && { cacheWrite }),
  ...(cacheWriteLong !== undefined && { cacheWriteLong }),
  ...(reasoning !== undefined && { reasoning }),
  ...(largestPrompt !== undefined && { largestPrompt }),
  ...(tier !== undefined && { tier }),
})

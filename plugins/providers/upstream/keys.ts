import type { ProviderKey } from 'deflector'
import { z } from 'zod'

/** The credential options that all HTTP providers share. */
export const keyOptions = {
  api_key: z.string().trim().default('').describe('The credential; empty when there is none.'),
  provider_keys: z
    .array(
      z.strictObject({
        key: z.string().trim().min(1).describe('The credential.'),
        priority: z.int().optional().describe('Lower is preferred, under the `priority` strategy.'),
        label: z.string().optional().describe('Name shown in place of the key.'),
      }),
    )
    .default([])
    .describe('A pool of credentials; `api_key` comes after them.'),
}

interface Credentials {
  readonly api_key: string
  readonly provider_keys: readonly {
    readonly key: string
    readonly priority?: number | undefined
    readonly label?: string | undefined
  }[]
  readonly key_required: boolean
}

/** Each key once. `undefined` when there are none and none are needed; empty when one is missing. */
export function keysOf({ api_key, provider_keys, key_required }: Credentials): readonly ProviderKey[] | undefined {
  const keys = new Map<string, ProviderKey>()
  for (const { key, priority, label } of [
    ...provider_keys,
    ...(api_key === '' ? [] : [{ key: api_key }]),
  ] as Credentials['provider_keys']) {
    if (keys.has(key)) continue
    keys.set(key, { key, ...(priority !== undefined && { priority }), ...(label !== undefined && { label }) })
  }
  return keys.size === 0 && !key_required ? undefined : [...keys.values()]
}

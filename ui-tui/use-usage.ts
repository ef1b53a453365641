import { useEffect, useState } from 'react'
import type { Source } from './source.ts'
import { breakdown } from './usage.ts'
import type { UsageFound } from './usage-tab.tsx'
import type { UsageBy } from './view.ts'

/** From one look to the next, in milliseconds: the gateway sums up hours of requests for each. */
const INTERVAL_MS = 5_000

/** What requests cost by one thing, asked for as long as it is looked at. The last answer stays while the gateway is away. */
export function useUsage(source: Source, by: UsageBy | undefined): UsageFound {
  const [found, setFound] = useState<{ readonly by: UsageBy; readonly told: UsageFound }>()
  useEffect(() => {
    if (by === undefined) return
    const question = { path: `/api/admin/usage/breakdown?by=${by}`, surface: 'usage' }
    let left = false
    let timer: NodeJS.Timeout | undefined
    const look = async (): Promise<void> => {
      const told = await source
        .ask(breakdown, question)
        .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      if (left) return
      setFound(last =>
        typeof told === 'string' && last?.by === by && typeof last.told === 'object' ? last : { by, told },
      )
      timer = setTimeout(look, INTERVAL_MS)
    }
    void look()
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [source, by])
  return found?.by === by ? found?.told : undefined
}

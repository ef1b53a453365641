import { useEffect, useState } from 'react'
import { type Answer, ask } from '../../api/ask.ts'
import { type Drafts, patchOfDrafts } from './drafts.ts'

export type Problems = Answer<'POST /api/admin/config/check'>['problems']

/** After the last key stroke, in milliseconds. */
const PAUSE_MS = 300
const NONE: Problems = []

/** What the gateway finds wrong in the drafts while they are typed, by the checks of its own start. */
export function useCheck(drafts: Drafts): Problems {
  const [problems, setProblems] = useState(NONE)
  const patch = JSON.stringify(patchOfDrafts(drafts))
  useEffect(() => {
    if (patch === '{}') {
      setProblems(NONE)
      return
    }
    const aborter = new AbortController()
    const timer = setTimeout(async () => {
      const given = { query: { quick: true }, body: JSON.parse(patch) }
      const checked = await ask('POST /api/admin/config/check', given, aborter.signal).catch(() => undefined)
      // Without an answer the review asks again, and says why.
      if (checked && !aborter.signal.aborted) setProblems(checked.problems)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [patch])
  return problems
}

/** Those of one setting. */
export const problemsOf = (problems: Problems, key: string): readonly string[] =>
  problems.flatMap(({ setting, message }) =>
    setting === key || setting?.startsWith(`${key}.`) === true ? [message] : [],
  )

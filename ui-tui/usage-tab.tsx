import type { ReactNode } from 'react'
import { Line, Table } from './lines.tsx'
import { inName, type Main, mainOf, nameOf } from './main-table.ts'
import { type Breakdown, type Spender, spenderColumns, spenders } from './usage.ts'
import { USAGE_BY, type UsageBy, type View } from './view.ts'

/** As far as it was told: the answer, why there is none, or nothing yet. */
export type UsageFound = Breakdown | string | undefined

interface UsageProps {
  readonly usage: UsageFound
  readonly view: View
  readonly width: number
  readonly height: number
}

const TITLES: Readonly<Record<UsageBy, string>> = { principal: 'GATEWAY KEY', model: 'MODEL', tag: 'TAG' }
const NAMES: Readonly<Record<UsageBy, string>> = { principal: 'gateway key', model: 'model', tag: 'tag' }
const NONE: Readonly<Record<UsageBy, string>> = {
  principal: 'no request yet',
  model: 'no request yet',
  tag: 'no request had a tag (header X-Service-Tags)',
}

export function usageTable({ usage, view }: Pick<UsageProps, 'usage' | 'view'>): Main<Spender> {
  const rows = typeof usage === 'object' ? spenders(usage, view.usageBy) : []
  return mainOf(spenderColumns(TITLES[view.usageBy]), rows, nameOf, inName, view)
}

/** Who spent the most, by one thing at a time. */
export function Usage({ usage, view, width, height, noMatch }: UsageProps & { readonly noMatch: string }): ReactNode {
  const { usageBy, filter } = view
  const empty =
    typeof usage === 'object' ? (filter === '' ? NONE[usageBy] : noMatch) : (usage ?? 'asking the gateway …')
  const window = typeof usage === 'object' ? `, last ${usage.window_hours} hours` : ''
  return (
    <>
      <Table {...usageTable({ usage, view })} width={width} height={height - 1} empty={empty} />
      <Line
        of={[
          { text: 'spent by ', tone: 'dim' },
          ...USAGE_BY.map(by =>
            by === usageBy
              ? { text: `[${NAMES[by]}] `, tone: 'strong' as const }
              : { text: `${NAMES[by]} `, tone: 'dim' as const },
          ),
          { text: `(b: the next)${window}`, tone: 'dim' },
        ]}
      />
    </>
  )
}

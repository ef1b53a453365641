export type Rule = readonly [from: string, to: string]

export interface RuleWords {
  readonly from: string
  readonly to: string
  readonly add: string
}

interface RuleRowProps {
  readonly rule: Rule
  /** Its line, from one on. */
  readonly line: number
  readonly words: RuleWords
  /** Id of what is wrong with the rules. */
  readonly describedBy: string
  /** Where it may lead; without these, anywhere. */
  readonly targets: readonly string[] | undefined
  change(rule: Rule): void
  remove(): void
  /** Where the order counts: one line up and down; absent where it is the first or the last. */
  readonly moves: { readonly up: (() => void) | undefined; readonly down: (() => void) | undefined } | undefined
}

/** A rule that can be changed. */
export function RuleRow({ rule, line, words, describedBy, targets, change, remove, moves }: RuleRowProps) {
  const [from, to] = rule
  const name = from || `line ${line}`
  return (
    <tr>
      <td>
        <input
          aria-label={`${words.from}, line ${line}`}
          aria-describedby={describedBy}
          className="mono"
          spellCheck={false}
          value={from}
          onChange={event => change([event.target.value, to])}
        />
      </td>
      <td>
        <Target
          label={`${words.to}, line ${line}`}
          describedBy={describedBy}
          value={to}
          targets={targets}
          change={value => change([from, value])}
        />
      </td>
      <td className="rule-act">
        {moves && (
          <>
            <button type="button" disabled={!moves.up} onClick={moves.up} aria-label={`Move ${name} up`}>
              ↑
            </button>
            <button type="button" disabled={!moves.down} onClick={moves.down} aria-label={`Move ${name} down`}>
              ↓
            </button>
          </>
        )}
        <button type="button" className="quiet" aria-label={`Remove ${name}`} onClick={remove}>
          Remove
        </button>
      </td>
    </tr>
  )
}

/** A rule that a variable or a flag gives. */
export const FixedRule = ({ rule: [from, to], origin }: { readonly rule: Rule; readonly origin: string }) => (
  <tr>
    <td>
      <code>{from}</code>
    </td>
    <td>
      <code>{to}</code>
    </td>
    <td className="rule-act small">
      <code>{origin}</code>
    </td>
  </tr>
)

interface TargetProps {
  readonly label: string
  readonly describedBy: string
  readonly value: string
  readonly targets: readonly string[] | undefined
  change(value: string): void
}

function Target({ label, describedBy, value, targets, change }: TargetProps) {
  const shared = { 'aria-label': label, 'aria-describedby': describedBy, value }
  if (!targets)
    return <input {...shared} className="mono" spellCheck={false} onChange={event => change(event.target.value)} />
  return (
    <select {...shared} onChange={event => change(event.target.value)}>
      {[...new Set([...targets, value])].map(name => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

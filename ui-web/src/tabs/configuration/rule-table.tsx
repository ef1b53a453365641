import { isTable, type KeyedSetting } from '../../api/settings.ts'
import { type Draft, setDraft } from './drafts.ts'
import { patchOf } from './patches.ts'

interface RuleTableProps {
  /** A map of texts. */
  readonly setting: KeyedSetting
  readonly draft: Draft | undefined
  readonly problems: readonly string[]
  readonly title: string
  readonly about: string
  readonly empty: string
  readonly words: { readonly from: string; readonly to: string; readonly add: string }
  /** Where they may lead; without these, anywhere. */
  readonly targets?: readonly string[]
}

type Rule = readonly [from: string, to: string]

/** A map as a list of rules, one a line. */
export function RuleTable({ setting, draft, problems, title, about, empty, words, targets }: RuleTableProps) {
  const { key, value, parts } = setting
  const rules = draft
    ? rulesIn(draft.text)
    : Object.entries(isTable(value) ? value : {}).map(([a, b]): Rule => [a, String(b)])
  const save = (next: readonly Rule[]): void => {
    const patch = patchOf(value, Object.fromEntries(next.filter(([from]) => from !== '')))
    const unfinished = next.some(([from]) => from === '')
    setDraft(key, patch === undefined && !unfinished ? undefined : { text: JSON.stringify(next), value: patch ?? {} })
  }
  const set = (at: number, rule: Rule): void => save(rules.with(at, rule))
  const fixed = new Map(parts.filter(({ writable }) => !writable).map(({ path, origin }) => [path[0], origin]))
  const refused = `${key}-problems`
  return (
    <section className="part rules">
      <div className="part-head">
        <h2>{title}</h2>
        <code className="muted small">{key}</code>
      </div>
      <p className="muted rules-about">{about}</p>
      {rules.length === 0 ? (
        <p className="empty">{empty}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.from}</th>
              <th scope="col">{words.to}</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rules.map(([from, to], at) => {
              const origin = fixed.get(from)
              return (
                <tr key={at}>
                  {origin === undefined ? (
                    <>
                      <td>
                        <input
                          aria-label={`${words.from}, line ${at + 1}`}
                          aria-describedby={refused}
                          className="mono"
                          spellCheck={false}
                          value={from}
                          onChange={event => set(at, [event.target.value, to])}
                        />
                      </td>
                      <td>
                        <Target
                          label={`${words.to}, line ${at + 1}`}
                          describedBy={refused}
                          value={to}
                          targets={targets}
                          change={value => set(at, [from, value])}
                        />
                      </td>
                      <td className="rule-act">
                        <button
                          type="button"
                          className="quiet"
                          aria-label={`Remove ${from || `line ${at + 1}`}`}
                          onClick={() => save(rules.toSpliced(at, 1))}
                        >
                          Remove
                        </button>
                      </td>
                    </>
                  ) : (
                    <>
                      <td>
                        <code>{from}</code>
                      </td>
                      <td>
                        <code>{to}</code>
                      </td>
                      <td className="rule-act small">
                        <code>{origin}</code>
                      </td>
                    </>
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      <p id={refused} className="bad small" role="alert">
        {problems.join(' ')}
      </p>
      <button type="button" onClick={() => save([...rules, ['', targets?.[0] ?? '']])}>
        {words.add}
      </button>
    </section>
  )
}

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

/** The text is one that `save` has written. */
function rulesIn(text: string): Rule[] {
  const read: unknown = JSON.parse(text)
  return Array.isArray(read) ? read.map(([from, to]): Rule => [String(from), String(to)]) : []
}

import { isTable, type KeyedSetting } from '../../api/settings.ts'
import { type Draft, setDraft } from './drafts.ts'
import { orderedPatchOf, patchOf } from './patches.ts'
import { FixedRule, type Rule, RuleRow, type RuleWords } from './rule-row.tsx'

interface RuleTableProps {
  /** A map of texts. */
  readonly setting: KeyedSetting
  readonly draft: Draft | undefined
  readonly problems: readonly string[]
  readonly title: string
  readonly about: string
  readonly empty: string
  readonly words: RuleWords
  /** Where they may lead; without these, anywhere. */
  readonly targets?: readonly string[]
  /** The first rule that fits counts. */
  readonly ordered?: boolean
}

/** A map as a list of rules, one a line. */
export function RuleTable(props: RuleTableProps) {
  const { setting, draft, problems, title, about, empty, words, targets, ordered = false } = props
  const { key, value, parts } = setting
  const rules = draft
    ? rulesIn(draft.text)
    : Object.entries(isTable(value) ? value : {}).map(([a, b]): Rule => [a, String(b)])
  const save = (next: readonly Rule[]): void => {
    const after = Object.fromEntries(next.filter(([from]) => from !== ''))
    const patch = ordered ? orderedPatchOf(value, after) : patchOf(value, after)
    const unfinished = next.some(([from]) => from === '')
    setDraft(key, patch === undefined && !unfinished ? undefined : { text: JSON.stringify(next), value: patch ?? {} })
  }
  const fixed = new Map(parts.filter(({ writable }) => !writable).map(({ path, origin }) => [path[0], origin]))
  /** Puts a rule where another one is, if that one can move, too. */
  const moveOf = (at: number, to: number): (() => void) | undefined => {
    const [rule, other] = [rules[at], rules[to]]
    if (!rule || !other || fixed.has(other[0])) return undefined
    return () => save(rules.with(at, other).with(to, rule))
  }
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
        <table className="rule-table">
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
            {rules.map((rule, at) => {
              const origin = fixed.get(rule[0])
              return origin === undefined ? (
                <RuleRow
                  key={at}
                  rule={rule}
                  line={at + 1}
                  words={words}
                  describedBy={refused}
                  targets={targets}
                  change={next => save(rules.with(at, next))}
                  remove={() => save(rules.toSpliced(at, 1))}
                  moves={ordered ? { up: moveOf(at, at - 1), down: moveOf(at, at + 1) } : undefined}
                />
              ) : (
                <FixedRule key={at} rule={rule} origin={origin} />
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

/** The text is one that `save` has written. */
function rulesIn(text: string): Rule[] {
  const read: unknown = JSON.parse(text)
  return Array.isArray(read) ? read.map(([from, to]): Rule => [String(from), String(to)]) : []
}

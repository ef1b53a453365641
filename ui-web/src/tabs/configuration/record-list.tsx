import { useId } from 'react'
import { isTable, type KeyedSetting } from '../../api/settings.ts'
import { type Draft, setDraft } from './drafts.ts'
import { patchOf } from './patches.ts'
import { RulesPart } from './rules-part.tsx'

interface RecordListProps {
  /** A list of records with texts in their fields. */
  readonly setting: KeyedSetting
  readonly draft: Draft | undefined
  readonly problems: readonly string[]
  readonly title: string
  readonly about: string
  readonly empty: string
  readonly add: string
  /** What a field may hold; without these, anything. */
  readonly choices: Readonly<Record<string, readonly string[]>>
}

type Entry = Readonly<Record<string, string>>

/** Rules with several fields each; the first that fits counts. */
export function RecordList({ setting, draft, problems, title, about, empty, add, choices }: RecordListProps) {
  const { key, value, schema, writable } = setting
  const fields = Object.keys(schema.items?.properties ?? {})
  const entries = entriesIn(draft ? JSON.parse(draft.text) : value)
  const save = (next: readonly Entry[]): void => {
    const filled = next.map(filledOf)
    const isSame = patchOf(value, filled) === undefined && filled.every(one => Object.keys(one).length > 0)
    setDraft(key, isSame ? undefined : { text: JSON.stringify(next), value: filled })
  }
  const move = (at: number, to: number): void => {
    const [one, other] = [entries[at], entries[to]]
    if (one && other) save(entries.with(at, other).with(to, one))
  }
  return (
    <RulesPart setting={setting} title={title} about={about} problems={problems}>
      {entries.length === 0 && <p className="empty">{empty}</p>}
      <ol className="records">
        {entries.map((entry, at) => (
          <li key={at}>
            <div className="record-fields">
              {fields.map(field => (
                <Field
                  key={field}
                  name={field}
                  label={`${wordsOf(field)}, rule ${at + 1}`}
                  value={entry[field] ?? ''}
                  choices={choices[field]}
                  disabled={!writable}
                  change={text => save(entries.with(at, { ...entry, [field]: text }))}
                />
              ))}
            </div>
            {writable && (
              <div className="rule-act">
                <button
                  type="button"
                  disabled={at === 0}
                  onClick={() => move(at, at - 1)}
                  aria-label={`Move rule ${at + 1} up`}
                >
                  ↑
                </button>
                <button
                  type="button"
                  disabled={at === entries.length - 1}
                  onClick={() => move(at, at + 1)}
                  aria-label={`Move rule ${at + 1} down`}
                >
                  ↓
                </button>
                <button
                  type="button"
                  className="quiet"
                  aria-label={`Remove rule ${at + 1}`}
                  onClick={() => save(entries.toSpliced(at, 1))}
                >
                  Remove
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {writable && (
        <button type="button" onClick={() => save([...entries, {}])}>
          {add}
        </button>
      )}
    </RulesPart>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly choices: readonly string[] | undefined
  readonly disabled: boolean
  change(text: string): void
}

function Field({ name, label, value, choices, disabled, change }: FieldProps) {
  const id = useId()
  const shared = { id, 'aria-label': label, value, disabled }
  return (
    <div>
      <label htmlFor={id} className="muted small">
        {wordsOf(name)}
      </label>
      {choices ? (
        <select {...shared} onChange={event => change(event.target.value)}>
          {[...new Set(['', ...choices, value])].map(choice => (
            <option key={choice} value={choice}>
              {choice || 'as without it'}
            </option>
          ))}
        </select>
      ) : (
        <input {...shared} className="mono" spellCheck={false} onChange={event => change(event.target.value)} />
      )}
    </div>
  )
}

const wordsOf = (field: string): string => field.replaceAll('_', ' ')

const entriesIn = (value: unknown): readonly Entry[] =>
  Array.isArray(value)
    ? value.map(one =>
        Object.fromEntries(Object.entries(isTable(one) ? one : {}).map(([name, text]) => [name, String(text)])),
      )
    : []

const filledOf = (entry: Entry): Entry => Object.fromEntries(Object.entries(entry).filter(([, text]) => text !== ''))

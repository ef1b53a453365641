import { useState } from 'react'
import { isTable, type KeyedSetting } from '../../api/settings.ts'
import { TableFrame } from '../../ui/table-frame.tsx'
import { type Draft, setDraft } from './drafts.ts'
import { patchOf } from './patches.ts'
import { RulesPart } from './rules-part.tsx'

interface MatrixProps {
  /** A map of maps of texts: by row, then by column. */
  readonly setting: KeyedSetting
  readonly draft: Draft | undefined
  readonly problems: readonly string[]
  readonly title: string
  readonly about: string
  readonly words: { readonly row: string; readonly column: string }
}

type Cells = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A table whose cells say where a prompt goes. Empty cells, rows and columns are not saved. */
export function Matrix({ setting, draft, problems, title, about, words }: MatrixProps) {
  const { key, value, writable } = setting
  const cells = cellsIn(draft ? JSON.parse(draft.text) : value)
  const rows = Object.keys(cells)
  const columns = [...new Set(rows.flatMap(row => Object.keys(cells[row] ?? {})))]
  const save = (next: Cells): void => {
    const patch = patchOf(value, filledOf(next))
    const isBare = Object.values(next).some(row => Object.values(row).every(text => text === ''))
    setDraft(key, patch === undefined && !isBare ? undefined : { text: JSON.stringify(next), value: patch ?? {} })
  }
  const set = (row: string, column: string, text: string): void =>
    save({ ...cells, [row]: { ...cells[row], [column]: text } })
  return (
    <RulesPart setting={setting} title={title} about={about} problems={problems}>
      {rows.length > 0 && (
        <TableFrame label={`${title}, cells`}>
          <table className="matrix">
            <thead>
              <tr>
                <th scope="col">{words.row}</th>
                {columns.map(column => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(row => (
                <tr key={row}>
                  <th scope="row">{row}</th>
                  {columns.map(column => (
                    <td key={column}>
                      <input
                        aria-label={`${row}, ${column}`}
                        className="mono"
                        spellCheck={false}
                        disabled={!writable}
                        value={cells[row]?.[column] ?? ''}
                        onChange={event => set(row, column, event.target.value)}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {writable && (
        <div className="matrix-adds">
          <Adder what={words.row} taken={rows} add={row => save({ ...cells, [row]: rowOf(columns) })} />
          {rows.length > 0 && (
            <Adder
              what={words.column}
              taken={columns}
              add={column => save(Object.fromEntries(rows.map(row => [row, { ...cells[row], [column]: '' }])))}
            />
          )}
        </div>
      )}
    </RulesPart>
  )
}

interface AdderProps {
  readonly what: string
  readonly taken: readonly string[]
  add(name: string): void
}

function Adder({ what, taken, add }: AdderProps) {
  const [name, setName] = useState('')
  const wanted = name.trim()
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        add(wanted)
        setName('')
      }}
    >
      <input
        aria-label={`New ${what}`}
        className="mono"
        spellCheck={false}
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <button type="submit" disabled={wanted === '' || taken.includes(wanted)}>
        Add a {what}
      </button>
    </form>
  )
}

const rowOf = (columns: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(columns.map(column => [column, '']))

const cellsIn = (value: unknown): Cells =>
  Object.fromEntries(
    Object.entries(isTable(value) ? value : {}).map(([row, inside]) => [
      row,
      Object.fromEntries(Object.entries(isTable(inside) ? inside : {}).map(([column, text]) => [column, String(text)])),
    ]),
  )

function filledOf(cells: Cells): Cells {
  const rows = Object.entries(cells).map(
    ([row, inside]) => [row, Object.fromEntries(Object.entries(inside).filter(([, text]) => text !== ''))] as const,
  )
  return Object.fromEntries(rows.filter(([, inside]) => Object.keys(inside).length > 0))
}

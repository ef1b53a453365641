import type { Answer } from '../../api/ask.ts'
import { TableFrame } from '../../ui/table-frame.tsx'

type Cache = Answer<'POST /api/admin/cache/why'>['caches'][string]

interface Candidate {
  readonly prompt: string
  readonly similarity: number
  readonly probability: number | undefined
  readonly rule: string | undefined
}

function candidatesIn(value: unknown): readonly Candidate[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: Partial<Record<string, unknown>>) => {
    const { prompt, similarity, probability, rule } = one
    if (typeof prompt !== 'string' || typeof similarity !== 'number') return []
    return [
      {
        prompt,
        similarity,
        probability: typeof probability === 'number' ? probability : undefined,
        rule: typeof rule === 'string' ? rule : undefined,
      },
    ]
  })
}

/** The stored prompts that a cache compares. */
export function Candidates({ of: { candidates: given } }: { readonly of: Cache }) {
  const candidates = candidatesIn(given)
  if (candidates.length === 0) return null
  return (
    <TableFrame label="Stored prompts">
      <table>
        <thead>
          <tr>
            <th scope="col">Stored prompt</th>
            <th scope="col" className="number">
              Similarity
            </th>
            <th scope="col" className="number">
              Probability
            </th>
            <th scope="col">Refused by rule</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map(({ prompt, similarity, probability, rule }) => (
            <tr key={prompt}>
              <td>{prompt}</td>
              <td className="number">{similarity.toFixed(4)}</td>
              <td className="number">{probability?.toFixed(4) ?? '–'}</td>
              <td>{rule?.replaceAll('_', ' ') ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  )
}

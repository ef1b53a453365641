import { count, milliseconds, usd } from '../../ui/human.ts'
import { TableFrame } from '../../ui/table-frame.tsx'
import type { StoryAnswer } from './story-answer.ts'

type Attempt = NonNullable<StoryAnswer['attempts']>[number]

/** The vendor calls of a request, with what each cost. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null
  const omitted = new Set(
    attempts.flatMap(({ provider, omitted = [] }) =>
      omitted.length > 0 ? [`${provider} was not told of ${omitted.join(', ')}.`] : [],
    ),
  )
  return (
    <section className="story-part">
      <h3>Vendor calls</h3>
      <TableFrame label="Vendor calls">
        <table>
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Model</th>
              <th scope="col">Key</th>
              <th scope="col">Outcome</th>
              {['Took', 'First token', 'Tokens in', 'Out', 'Cost'].map(name => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt, at) => (
              <Row key={at} attempt={attempt} />
            ))}
          </tbody>
        </table>
      </TableFrame>
      {[...omitted].map(line => (
        <p key={line} className="muted small">
          {line}
        </p>
      ))}
    </section>
  )
}

function Row({ attempt }: { readonly attempt: Attempt }) {
  const { provider, model, key, outcome, reason, status, ms, first_token_ms, input_tokens, output_tokens } = attempt
  const said = reason ? `${outcome}: ${reason.replaceAll('_', ' ')}` : outcome
  return (
    <tr>
      <td className="nowrap">{provider}</td>
      <td>{model ?? '–'}</td>
      <td>{key ?? '–'}</td>
      <td className={outcome === 'answered' ? 'good' : 'bad'}>
        {said}
        {status !== null && ` (${status})`}
      </td>
      <td className="number">{milliseconds(ms)}</td>
      <td className="number">{milliseconds(first_token_ms)}</td>
      <td className="number">{input_tokens === null ? '–' : count(input_tokens)}</td>
      <td className="number">{output_tokens === null ? '–' : count(output_tokens)}</td>
      <td className="number">{outcome === 'refused' ? '–' : usd(attempt.cost_usd ?? null)}</td>
    </tr>
  )
}

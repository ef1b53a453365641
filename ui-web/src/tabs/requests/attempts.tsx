import { count, milliseconds, usd } from '../../ui/human.ts'
import { TableFrame } from '../../ui/table-frame.tsx'
import { isByLimit, isUncalled } from './limit-refusals.ts'
import type { StoryAnswer } from './story-answer.ts'

type Attempt = NonNullable<StoryAnswer['attempts']>[number]

/** The vendor calls of a request, with what each cost, and the vendors that were not called. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <>
      <Calls attempts={attempts.filter(attempt => !isUncalled(attempt))} />
      <Uncalled attempts={attempts.filter(isUncalled)} />
    </>
  )
}

function Uncalled({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null
  return (
    <section className="story-part">
      <h3>Vendors not called</h3>
      {attempts.map((attempt, at) => (
        <p key={at}>
          <b>{attempt.provider}</b> {attempt.model}{' '}
          <span className="bad">Not called: {isByLimit(attempt) ? 'refused by a limit' : reasonOf(attempt)}</span>
        </p>
      ))}
    </section>
  )
}

const reasonOf = ({ reason }: Attempt): string => reason?.replaceAll('_', ' ') ?? 'refused'

function Calls({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return null
  const faults = new Set(attempts.flatMap(({ provider, fault }) => (fault ? [`${provider}: ${fault}.`] : [])))
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
      {[...faults].map(line => (
        <p key={line} className="small">
          {line}
        </p>
      ))}
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
  const said = reason ? `${outcome}: ${reasonOf(attempt)}` : outcome
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
      <td className="number">{usd(attempt.cost_usd ?? null)}</td>
    </tr>
  )
}

import { ask } from '../../api/ask.ts'
import { useFilter } from '../../shell/place.ts'
import type { Step } from './outcomes.ts'
import { promptIn } from './prompt-in.ts'

type Neighbour = NonNullable<Step['neighbour']>

/** The figures of a stored prompt that was compared, and the way to the request that stored it. */
export function NeighbourLink({ neighbour }: { readonly neighbour: Neighbour }) {
  const [, setStory] = useFilter('id')
  const { similarity, probability, id } = neighbour
  return (
    <>
      <span className="muted number">
        similarity {similarity.toFixed(4)}
        {probability !== undefined && `, probability ${probability.toFixed(4)}`}
      </span>{' '}
      <button type="button" className="link" onClick={() => setStory(id)}>
        the request that stored it
      </button>
    </>
  )
}

/** The prompt of the request that stored it; `undefined` where it is not kept. */
export async function promptOf({ id }: Neighbour): Promise<string | undefined> {
  // A search finds nothing where a look by id would fail.
  const { entries } = await ask('GET /api/admin/requests', { query: { q: id, limit: 5 } })
  const body = entries.find(({ request_id }) => request_id === id)?.request_body
  return typeof body === 'string' ? promptIn(body)?.text : undefined
}

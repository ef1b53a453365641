import type { ChainActions, Provider } from './chain.ts'
import { ProviderRows } from './provider-rows.tsx'

/** The chain, a group of rows for each provider. */
export function ChainTable({ providers, ...actions }: ChainActions & { readonly providers: readonly Provider[] }) {
  if (providers.length === 0) return <p className="empty">The pipeline asks no provider.</p>
  return (
    <table className="chain">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Place</span>
          </th>
          <th scope="col">Provider</th>
          <th scope="col">State</th>
          <th scope="col" className="number">
            Latency
          </th>
          <th scope="col" className="number">
            First token
          </th>
          <th scope="col" className="number">
            Requests
          </th>
          <th scope="col" className="number">
            Errors
          </th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      {providers.map((provider, place) => (
        <ProviderRows
          key={provider.name}
          provider={provider}
          place={place}
          places={providers.length}
          primary={providers[0]?.name ?? ''}
          {...actions}
        />
      ))}
    </table>
  )
}

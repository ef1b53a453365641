import { useAnswer } from '../../api/answers.ts'
import { isTable, settingAt } from '../../api/settings.ts'
import { usd } from '../../ui/human.ts'

/** Prices that the settings give. The gateway does not tell those of its built-in list. */
export function Prices() {
  const { data } = useAnswer('GET /api/admin/config', {}, 0)
  const prices = data && settingAt(data.settings, 'usage_pricing')?.value
  if (!isTable(prices)) return null
  const providers = Object.entries(prices).flatMap(([name, price]) => (isTable(price) ? [[name, price] as const] : []))
  if (providers.length === 0) return <p>No price is set, so all are those of the built-in list.</p>
  return (
    <table>
      <caption>Prices that are set, for a million tokens</caption>
      <thead>
        <tr>
          <th scope="col">Provider</th>
          {Object.keys(RATES).map(rate => (
            <th key={rate} scope="col" className="number">
              {rate}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {providers.map(([name, price]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {Object.values(RATES).map(field => (
              <td key={field} className="number">
                {priceIn(price[field])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const RATES = {
  Input: 'input_cost_per_million_usd',
  Output: 'output_cost_per_million_usd',
  'Cache read': 'cache_read_cost_per_million_usd',
  'Cache write': 'cache_write_cost_per_million_usd',
} as const

const priceIn = (value: unknown): string => (typeof value === 'number' ? usd(value) : '–')

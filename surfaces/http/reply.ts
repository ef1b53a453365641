/**
 * Headers as the flat list that `writeHead` sends without building a table first. The three headers that stand on every
 * reply are added where the caller has none: its id, and a layer that says no flow ran.
 */
export function rawHead(headers: Readonly<Record<string, string>>, id: string): string[] {
  const raw = ['x-service-request-id', id]
  let layer = false
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    raw.push(name, value)
    layer ||= name.length === LAYER.length && name.toLowerCase() === LAYER
  }
  if (!layer) raw.push('X-Service-Layer', 'l0', 'X-Service-Deflected', 'false')
  return raw
}

const LAYER = 'x-service-layer'

import type { ErrorDialect, RouteTable } from 'deflector'
import { short } from './path.ts'

/** Versions that a base URL may have forgotten. */
const VERSIONS = ['/v1', '/v1beta']

/** What is said of a path that no route has: the path that was meant, or all there are under its version. */
export function unknownEndpoint(
  path: string,
  table: RouteTable,
): { readonly message: string; readonly dialect: ErrorDialect | undefined } {
  const { routes } = table
  const meant = VERSIONS.map(version => version + path).find(path => routes.some(route => route.path === path))
  const nothing = `nothing is at ${short(path)}`
  if (meant !== undefined) {
    const base = meant.slice(0, -path.length)
    return {
      message: `${nothing}; did you mean ${meant}? The base URL then ends in ${base}`,
      dialect: table.dialectOf(meant),
    }
  }
  const version = VERSIONS.find(version => path === version || path.startsWith(`${version}/`))
  const near = version === undefined ? [] : routes.filter(route => route.path.startsWith(`${version}/`))
  const listed = [...new Set(near.map(route => `${route.method} ${spelled(route.path)}`))].sort()
  const list = listed.length > 0 ? `; there are ${listed.join(', ')}` : ''
  return { message: nothing + list, dialect: table.dialectOf(path) }
}

/** A verb behind the last name of a path, in a pattern: `/v1beta/models/*model\\:generateContent`. */
const VERB = /^(.*?\/)[:*]\w+\\:\w+$/

/** Is a verb asked of a thing that has others? To such a call the thing itself is no endpoint that takes other methods. */
export function isUnknownVerb(method: string, path: string, { routes }: Pick<RouteTable, 'routes'>): boolean {
  if (!/:\w+$/.test(path)) return false
  return routes.some(route => {
    const [, collection] = (route.method === method && VERB.exec(route.path)) || []
    return collection !== undefined && path.startsWith(collection)
  })
}

/** A pattern as people write it: `/v1/models/{id}`. */
const spelled = (path: string): string =>
  path.replace(/\\(.)|[:*](\w+)/g, (_, itself: string | undefined, name: string) => itself ?? `{${name}}`)

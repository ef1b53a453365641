/**
 * A tool of a namespace under one name. Other dialects have no namespaces, and two of them may hold tools of one name;
 * so the canonical name begins with the namespace, and only this dialect parts them.
 */
const SEPARATOR = '__'

export const fullName = (name: string, namespace: string | undefined): string =>
  namespace === undefined ? name : namespace + (namespace.endsWith(SEPARATOR) ? '' : SEPARATOR) + name

/** The name inside its namespace. */
export function shortName(full: string, namespace: string | undefined): string {
  if (namespace === undefined) return full
  const head = fullName('', namespace)
  return full.startsWith(head) ? full.slice(head.length) : full
}

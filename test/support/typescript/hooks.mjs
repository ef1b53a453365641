import { fileURLToPath } from 'node:url'
import { compile } from './compile.mjs'

/** Node's hook. A relative `.ts` file is what its name says, so nothing has to be searched. */
export function resolve(specifier, context, next) {
  if (!/^\.\.?\/.*\.ts$/.test(specifier)) return next(specifier, context)
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
}

/** Node's hook: what is imported from a `.ts` file. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true }
}

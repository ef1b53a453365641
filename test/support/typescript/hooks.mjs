import { fileURLToPath } from 'node:url'
import { compile } from './compile.mjs'

/** Node's hook. A relative `.ts` or `.tsx` file is what its name says, so nothing has to be searched. */
export function resolve(specifier, context, next) {
  if (!/^\.\.?\/.*\.tsx?$/.test(specifier)) return next(specifier, context)
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
}

/** Node's hook: what is imported from a `.ts` or `.tsx` file. */
export async function load(url, context, next) {
  if (!/\.tsx?$/.test(url)) return next(url, context)
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true }
}

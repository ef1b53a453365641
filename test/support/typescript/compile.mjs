import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Shared by all test processes: one compiled file and one map for each source, by its path. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/deflector-test', import.meta.url))
const digest = text => createHash('sha256').update(text).digest('hex').slice(0, 32)
const placeOf = file => join(CACHE, digest(file))

/** JavaScript of a source file. Its first line says of which text it was made; the rest has no comments and no map. */
export async function compile(file) {
  const source = readFileSync(file, 'utf8')
  const mark = `//${digest(source)}\n`
  const place = placeOf(file)
  const kept = read(`${place}.js`)
  if (kept?.startsWith(mark)) return kept
  const { code, map } = await compiler().transform(source, {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
    format: 'esm',
    target: 'node20',
    banner: mark.trimEnd(),
    sourcefile: file,
    sourcemap: 'external',
    sourcesContent: false,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  mkdirSync(CACHE, { recursive: true })
  write(`${place}.map`, map)
  write(`${place}.js`, code)
  return code
}

/** The map from the compiled file back to its source. */
export function mapOf(file) {
  const map = read(`${placeOf(file)}.map`)
  return map === undefined ? undefined : JSON.parse(map)
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // it was never compiled
  }
}

/** Other processes read and write here, too; none sees half a file. */
function write(path, text) {
  const own = `${path}.${process.pid}`
  writeFileSync(own, text)
  renameSync(own, path)
}

/** The compiler that tsx brings along. */
export function compiler() {
  const tsx = createRequire(import.meta.url).resolve('tsx/package.json')
  return createRequire(tsx)('esbuild')
}

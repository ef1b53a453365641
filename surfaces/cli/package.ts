import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The folder of this package, both in a checkout and in `dist`. */
const packageDir = (): string => dirname(require.resolve('deflector/package.json'))

export function packageVersion(): string {
  const { version }: { version: string } = require('deflector/package.json')
  return version
}

/** The default pipeline. */
export const packagedPipeline = (): string => join(packageDir(), 'pipelines', 'default.yaml')

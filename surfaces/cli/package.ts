import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** This package's own folder, from a checkout as from `dist`. */
const packageDir = (): string => dirname(require.resolve('deflector/package.json'))

export function packageVersion(): string {
  const { version }: { version: string } = require('deflector/package.json')
  return version
}

/** The pipeline that is used when nobody names another. */
export const packagedPipeline = (): string => join(packageDir(), 'pipelines', 'default.yaml')

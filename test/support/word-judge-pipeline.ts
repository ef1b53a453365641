import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_PIPELINE } from './gateway.ts'
import { tempFolder } from './opened.ts'

const PLUGIN = fileURLToPath(new URL('../fixtures/third-party/word-judge.ts', import.meta.url))
const JUDGE = 'judge: { use: pair }'

/** The shipped pipeline with a judge that needs no trained model: a file of its own. */
export function wordJudgePipeline(): string {
  const shipped = readFileSync(DEFAULT_PIPELINE, 'utf8')
  if (!shipped.includes(JUDGE)) throw new Error(`the shipped pipeline has no line "${JUDGE}" any more`)
  const file = join(tempFolder('pipeline'), 'pipeline.yaml')
  writeFileSync(file, shipped.replace(JUDGE, `judge: { use: ${JSON.stringify(PLUGIN)} }`))
  return file
}

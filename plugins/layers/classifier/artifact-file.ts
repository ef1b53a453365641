import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { MadeOfFiles, packaged } from 'deflector/files'
import { z } from 'zod'

/** The artifact in the package, relative to its root. */
const STARTER = 'models/deflector-routing/artifact.json'

/** An empty path stands for the starter artifact. */
export const artifactFile = (path: string): string => (path === '' ? packaged(STARTER) : resolve(path))

/** Bytes; those of the package have up to 180,000. Another file by mistake would hold up the gateway while it is read. */
const LARGEST = 32 << 20

type Labels = Readonly<Record<string, readonly string[]>>

const labelled = z.object({ heads: z.record(z.string(), z.object({ labels: z.array(z.string()) })) })
const read = new MadeOfFiles<Labels>()

/** The labels of each head; `undefined` where the file is no artifact, which the layer says when it starts. */
export function labelsIn(file: string): Labels | undefined {
  try {
    const state = statSync(file)
    return read.get(file, state) ?? (state.size > LARGEST ? undefined : read.set(file, state, labelsOf(file)))
  } catch {
    return undefined
  }
}

function labelsOf(file: string): Labels {
  const { heads } = labelled.parse(JSON.parse(readFileSync(file, 'utf8')))
  return Object.fromEntries(Object.entries(heads).map(([name, { labels }]) => [name, labels]))
}
